import { z } from "zod";
import { limitedProcedure, router } from "./trpc";

/** Longer than any username can be; the policy gives the precise reasons. */
const MAX_INPUT_UNITS = 512;

/** What the lean path shares with the procedure. */
export const CHECK_LIMIT = "check";
export const checkInput = z.object({
  username: z.string().max(MAX_INPUT_UNITS, "This is too long for a username."),
});

export const usernameRouter = router({
  /** Is this username free? Asked while somebody types. */
  check: limitedProcedure(CHECK_LIMIT)
    .input(checkInput)
    .query(({ ctx, input }) => ctx.services.checkUsername(input.username)),
});
