import { z } from "zod";
import { isShallow, line, page, search, TOO_DEEP } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const time = z.iso.datetime({ offset: true }).transform(text => new Date(text));

const filter = {
  search,
  action: line(100).optional(),
  actor: line(200).optional(),
  outcome: z.enum(["ok", "refused", "failed"]).optional(),
  from: time.optional(),
  to: time.optional(),
};

const entryId = z
  .string()
  .regex(/^\d{1,18}$/, "This is not the number of an entry.")
  .transform(BigInt);

export const auditRouter = router({
  list: actionProcedure("audit.view")
    .input(z.object({ ...filter, ...page }).refine(isShallow, TOO_DEEP))
    .query(({ ctx, input }) => ctx.services.staff.listAudit(input)),

  get: actionProcedure("audit.view")
    .input(z.object({ id: entryId }))
    .query(({ ctx, input }) => ctx.services.staff.readAuditEntry(input.id)),

  csv: actionProcedure("audit.view")
    .input(z.object(filter))
    .query(({ ctx, input }) => ctx.services.staff.exportAudit(input)),
});
