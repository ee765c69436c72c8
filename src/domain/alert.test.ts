import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALERT_CODES } from "./alert";

const page = readFileSync(new URL("../../docs/banners.md", import.meta.url), "utf8");
const sections = page.split(/^## /m).slice(1);
const codesOf = (section: string) =>
  [...section.split("\n")[0]!.matchAll(/`([^`]+)`/g)].map(match => match[1]!);

test("banners.md has one section for each alert, and no other", () => {
  const documented = sections.flatMap(codesOf).sort();
  expect(documented).toEqual([...ALERT_CODES, "process_down_<name>"].sort());
});

test("each section says what the alert means, what to look at, and what to do", () => {
  for (const section of sections.filter(section => codesOf(section).length > 0)) {
    for (const part of ["**Meaning.**", "**Look at.**", "**Do.**"]) expect(section).toContain(part);
  }
});
