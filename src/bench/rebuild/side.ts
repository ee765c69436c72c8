import { buildSide } from "./build-side";
import { copySide } from "./copy-side";
import { loopSide } from "./loop-side";
import { syntheticSide } from "./synthetic-side";

/** What a side is given, and the figures it comes back with. */
export type SideInput = {
  side: keyof typeof SIDES;
  databaseUrl: string;
  redisUrl: string;
  /** Names the version is made for. */
  capacity: number;
};
export type Figures = Record<string, number>;

const SIDES = { build: buildSide, copy: copySide, loop: loopSide, synthetic: syntheticSide };

/** A process of its own for each run, bundled as the product's are. */
process.once("message", async (input: SideInput) => {
  const figures = await SIDES[input.side](input);
  process.send!(figures, () => process.exit(0));
});
