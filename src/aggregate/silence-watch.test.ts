import { expect, it } from "vitest";
import { SilenceWatch } from "./silence-watch";

const view = (producer: number, seenUs: number) => ({
  producer,
  seenUs,
  throughUs: 1,
  mapVersion: 1,
  except: {},
});

it("tells a silent producer by its own clock, at any time that the registry gave", () => {
  const watch = new SilenceWatch(1_000, 250);
  const anHourAhead = 3_600_000_000;
  const silent: number[] = [];
  for (let nowUs = 0; nowUs <= 1_200; nowUs += 100) {
    // Producer 2 publishes at a clock that steps back.
    const views = [view(1, anHourAhead), view(2, nowUs < 500 ? anHourAhead + nowUs : nowUs)];
    silent.push(...watch.observe(views, nowUs).map(({ producer }) => producer));
  }
  expect(silent).toEqual([1, 1]);
});

it("lets producers publish first after a pause of its own", () => {
  const watch = new SilenceWatch(1_000, 250);
  watch.observe([view(1, 5)], 0);
  expect(watch.observe([view(1, 5)], 60_000)).toEqual([]);
  expect(watch.observe([view(1, 6)], 60_010)).toEqual([]);
});
