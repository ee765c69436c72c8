import { z } from "zod";
import { limitedProcedure, router } from "./trpc";

/** Longer than any username can be; the policy gives the precise reasons. */
const MAX_INPUT_UNITS = 512;

export const usernameRouter = router({
  /** Is this username free? Asked while somebody types. */
  check: limitedProcedure("check")
    .input(z.object({ username: z.string().max(MAX_INPUT_UNITS, "This is too long for a username.") }))
    .query(({ ctx, input }) => ctx.services.checkUsername(input.username)),
});
