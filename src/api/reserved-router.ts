import { z } from "zod";
import { addReservedWord } from "../services/reserved-words/add-reserved-word";
import { dryRunReservedWord } from "../services/reserved-words/dry-run-reserved-word";
import { listReservedWords } from "../services/reserved-words/list-reserved-words";
import { removeReservedWord } from "../services/reserved-words/remove-reserved-word";
import { once } from "./once";
import { isShallow, line, page, reason, search, TOO_DEEP } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const kind = z.enum(["exact", "contains", "skeleton"]);
const pattern = line(64);

export const reservedRouter = router({
  list: actionProcedure("reserved.view")
    .input(z.object({ search, kind: kind.optional(), ...page }).refine(isShallow, TOO_DEEP))
    .query(({ ctx, input }) => listReservedWords(ctx.services.prisma, input)),

  /** `reason` is shown to users who ask for the name. */
  add: actionProcedure("reserved.edit")
    .input(z.object({ pattern, kind, reason }))
    .mutation(once(({ ctx, input }) => addReservedWord(ctx.services.prisma, ctx.audit, input))),

  remove: actionProcedure("reserved.edit")
    .input(z.object({ id: z.guid(), reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await removeReservedWord(ctx.services.prisma, ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  /** How many existing usernames the word would refuse. It names users, so viewers may not call it. */
  dryRun: actionProcedure("reserved.edit")
    .input(z.object({ pattern, kind }))
    .query(({ ctx, input }) => dryRunReservedWord(ctx.services.prisma, input)),
});
