import { z } from "zod";
import { SERIES_IDS } from "../telemetry/series";
import { publicProcedure, router } from "./trpc";

const instant = z.iso.datetime({ offset: true, error: "This is not a time in ISO 8601." });

export const telemetryRouter = router({
  /** The lines of one chart, at most 500 points each; null where nothing is known. */
  series: publicProcedure
    .input(
      z.object({
        series: z.array(z.enum(SERIES_IDS)).min(1).max(SERIES_IDS.length),
        from: instant,
        to: instant,
      }),
    )
    .query(({ ctx, input }) =>
      ctx.services.readSeries({
        series: [...new Set(input.series)],
        fromMs: Date.parse(input.from),
        toMs: Date.parse(input.to),
      }),
    ),
});
