import { buildSide } from "./build-side";
import { copySide } from "./copy-side";
import { loopSide } from "./loop-side";
import type { SideInput } from "./side-input";
import { syntheticSide } from "./synthetic-side";

const SIDES = { build: buildSide, copy: copySide, loop: loopSide, synthetic: syntheticSide };

/** A process of its own for each run, bundled as the product's are. */
process.once("message", async (input: SideInput) => {
  const figures = await SIDES[input.side](input);
  process.send!(figures, () => process.exit(0));
});
