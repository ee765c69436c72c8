import type { PrismaClient } from "../../store/postgres";
import { describeAttempt } from "../audit/describe-attempt";
import { exportAudit } from "../audit/export-audit";
import { listAudit, readAuditEntry } from "../audit/list-audit";
import { RefusalLog } from "../audit/record-refusal";
import { addReservedWord } from "../reserved-words/add-reserved-word";
import { dryRunReservedWord } from "../reserved-words/dry-run-reserved-word";
import { listReservedWords } from "../reserved-words/list-reserved-words";
import { removeReservedWord } from "../reserved-words/remove-reserved-word";
import { createToken } from "./create-token";
import { listSwitches, readOffSwitches } from "./list-switches";
import { listTokens } from "./list-tokens";
import { listUsers } from "./list-users";
import { readTokenActor } from "./read-actor";
import { revokeSessions } from "./revoke-sessions";
import { revokeToken } from "./revoke-token";
import { setActionSwitch } from "./set-action-switch";
import { setUserDisabled } from "./set-user-disabled";
import { setUserRole } from "./set-user-role";

type WithPrisma<Args extends unknown[], Result> = (prisma: PrismaClient, ...args: Args) => Result;

/** What staff can do, with the database already in hand: the guard and the console's routers call these. */
export function createStaffServices(prisma: PrismaClient, onError: (error: unknown) => void) {
  const on =
    <Args extends unknown[], Result>(service: WithPrisma<Args, Result>) =>
    (...args: Args) =>
      service(prisma, ...args);
  const refusals = new RefusalLog(prisma, onError);
  return {
    readTokenActor: on(readTokenActor),
    readOffSwitches: on(readOffSwitches),
    describeAttempt: on(describeAttempt),
    recordRefusal: refusals.record.bind(refusals),
    listUsers: on(listUsers),
    setUserRole: on(setUserRole),
    setUserDisabled: on(setUserDisabled),
    revokeSessions: on(revokeSessions),
    listReservedWords: on(listReservedWords),
    addReservedWord: on(addReservedWord),
    removeReservedWord: on(removeReservedWord),
    dryRunReservedWord: on(dryRunReservedWord),
    listAudit: on(listAudit),
    readAuditEntry: on(readAuditEntry),
    exportAudit: on(exportAudit),
    listSwitches: on(listSwitches),
    setActionSwitch: on(setActionSwitch),
    listTokens: on(listTokens),
    createToken: on(createToken),
    revokeToken: on(revokeToken),
  };
}

export type StaffServices = ReturnType<typeof createStaffServices>;
