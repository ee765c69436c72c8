import { z } from "zod";
import { limitedProcedure, router } from "./trpc";

/** Longer than any username; the policy gives the precise reason. */
const MAX_INPUT_UNITS = 512;

/** Shared by the procedure and the fast path. */
export const CHECK_LIMIT = "check";
export const checkInput = z.object({
  username: z.string().max(MAX_INPUT_UNITS, "This is too long for a username. Use at most 32 characters."),
});

export const usernameRouter = router({
  /** Is this username free? The sign-up page asks while the user types. */
  check: limitedProcedure(CHECK_LIMIT)
    .input(checkInput)
    .query(({ ctx, input }) => ctx.services.checkUsername(input.username)),
});
