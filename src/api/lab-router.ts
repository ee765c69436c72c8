import { z } from "zod";
import { boundProblem, LAB_BOUNDS, LAB_DEFAULTS, type LabBound } from "../domain/lab/lab-run";
import { KEY_CHOICES } from "../domain/lab/scenario";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { once } from "./once";
import { actionProcedure, router } from "./trpc";

const bounded = (name: LabBound) => {
  const { min, max } = LAB_BOUNDS[name];
  const error = boundProblem(name, Number.NaN)!;
  return z.number({ error }).int(error).min(min, error).max(max, error).default(LAB_DEFAULTS[name]);
};

export const labRouter = router({
  /** The current run with its progress, and the last runs with their results. */
  status: actionProcedure("lab.view").query(({ ctx }) => ctx.services.lab.status()),

  /** Requests a run in a sandbox: seeded traffic through a separate log, once per choice of keys. */
  run: actionProcedure("lab.run")
    .input(
      z.object({
        symbol: z
          .string()
          .regex(SYMBOL_PATTERN, "Symbols are 1 to 12 capital letters and digits.")
          .default(LAB_DEFAULTS.symbol),
        rate: bounded("rate"),
        seconds: bounded("seconds"),
        shards: bounded("shards"),
        producers: bounded("producers"),
        seed: bounded("seed"),
        choices: z
          .array(z.enum(KEY_CHOICES))
          .min(1, "Choose a scenario.")
          .max(KEY_CHOICES.length)
          .default([...KEY_CHOICES]),
      }),
    )
    .mutation(
      once(({ ctx, input: { choices, ...options } }) =>
        // Each choice once, in the fixed order.
        ctx.services.lab.start(ctx.audit, {
          options,
          choices: KEY_CHOICES.filter(one => choices.includes(one)),
        }),
      ),
    ),

  /** Ends a run; its results so far are kept. */
  cancel: actionProcedure("lab.run")
    .input(z.object({ run: z.string().regex(/^\d{1,15}$/, "This is not the id of a run.") }))
    .mutation(once(({ ctx, input }) => ctx.services.lab.cancel(ctx.audit, input.run))),
});
