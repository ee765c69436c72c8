import { z } from "zod";
import { SERIES_IDS } from "../telemetry/series";
import { instant } from "./staff-input";
import { actionProcedure, router } from "./trpc";

export const telemetryRouter = router({
  /** The lines of one chart, at most 500 points each; null where no process reported. */
  series: actionProcedure("gate.view")
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

  /** The changes in a time range, drawn as annotations of the charts. */
  annotations: actionProcedure("gate.view")
    .input(z.object({ from: instant, to: instant }))
    .query(({ ctx, input }) =>
      ctx.services.gate.annotations({ from: new Date(input.from), to: new Date(input.to) }),
    ),
});
