import { z } from "zod";
import { exportAudit } from "../services/audit/export-audit";
import { listAudit, readAuditEntry } from "../services/audit/list-audit";
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
  .regex(/^\d{1,18}$/, "This is not the id of an audit entry.")
  .transform(BigInt);

export const auditRouter = router({
  list: actionProcedure("audit.view")
    .input(z.object({ ...filter, ...page }).refine(isShallow, TOO_DEEP))
    .query(({ ctx, input }) => listAudit(ctx.services.prisma, input)),

  get: actionProcedure("audit.view")
    .input(z.object({ id: entryId }))
    .query(({ ctx, input }) => readAuditEntry(ctx.services.prisma, input.id)),

  csv: actionProcedure("audit.view")
    .input(z.object(filter))
    .query(({ ctx, input }) => exportAudit(ctx.services.prisma, input)),
});
