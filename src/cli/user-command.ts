import { z } from "zod";
import { emailSchema } from "../domain/access/credentials";
import { isRole, ROLES, type Role } from "../domain/access/permissions";
import { usernameKey } from "../domain/username/username-policy";
import { readOptions, UsageError } from "../runtime/read-options";
import { createStaff } from "../services/access/create-staff";
import { listUsers } from "../services/access/list-users";
import { setPassword } from "../services/access/set-password";
import { setUserDisabled } from "../services/access/set-user-disabled";
import { setUserRole } from "../services/access/set-user-role";
import type { AuditContext } from "../services/audit/write-audit";
import type { PrismaClient } from "../store/postgres";

export const USAGE = `Usage: npm run user -- <command>

  create <username> <role> --email <address>   create a user; prints the password once
  role <username> <role>                       change the role: ${ROLES.join(", ")}
  disable <username>                           end all sessions and refuse sign-in
  enable <username>                            allow sign-in again
  password <username>                          set a new password, print it once, end all sessions
  list [--role <role>] [--search <prefix>]     the newest 100 staff, or the users that match

  --reason <text>   for the audit log
`;

const OPTIONS = z.object({
  email: z.string().optional(),
  role: z.enum(ROLES, `is not one of ${ROLES.join(", ")}.`).optional(),
  search: z.string().optional(),
  reason: z.string().default("on the command line"),
});

/** Runs one command; resolves to the text to print. @throws UsageError | AppError */
export async function runUserCommand(
  prisma: PrismaClient,
  operator: string,
  argv: string[],
): Promise<string> {
  const { options, positionals } = readOptions(argv, OPTIONS, 3);
  const [command, username = "", roleText = ""] = positionals;
  const audit = (action: string): AuditContext => ({
    actor: { kind: "cli", id: null, name: operator, role: null },
    action,
    requestId: null,
    address: null,
  });
  const { reason } = options;
  const target = () => findUser(prisma, username);

  switch (command) {
    case "create": {
      const email = emailSchema.safeParse(options.email);
      if (!email.success) throw new UsageError(`--email: ${email.error.issues[0]?.message}`);
      const role = readRole(roleText);
      const made = await createStaff(prisma, audit("user.create"), { username, email: email.data, role });
      return `${made.username} is ${role} now.\nPassword (shown this once): ${made.password}\n`;
    }
    case "role": {
      const role = readRole(roleText);
      const user = await target();
      await setUserRole(prisma, audit("user.setRole"), { ...user, role, reason });
      return `${user.username} is ${role} now.\n`;
    }
    case "disable":
    case "enable": {
      const disabled = command === "disable";
      const user = await target();
      await setUserDisabled(prisma, audit("user.disable"), { ...user, disabled, reason });
      return `${user.username} is ${disabled ? "disabled" : "enabled"}.\n`;
    }
    case "password": {
      const user = await target();
      const { password } = await setPassword(prisma, audit("user.password"), user.id);
      return `${user.username} has a new password (shown this once): ${password}\n`;
    }
    case "list":
      return list(prisma, options);
    default:
      throw new UsageError(command === undefined ? "Give a command." : `There is no command ${command}.`);
  }
}

function readRole(text: string): Role {
  if (isRole(text)) return text;
  throw new UsageError(`The role is one of ${ROLES.join(", ")}.`);
}

async function findUser(prisma: PrismaClient, username: string) {
  const key = usernameKey(username);
  const select = { id: true, username: true, version: true };
  const user = key === null ? null : await prisma.user.findUnique({ where: { usernameKey: key }, select });
  if (!user) throw new UsageError(`There is no user ${username}.`);
  return user;
}

async function list(prisma: PrismaClient, { role, search }: z.output<typeof OPTIONS>) {
  const roles: (Role | undefined)[] = role
    ? [role]
    : search
      ? [undefined]
      : ROLES.filter(one => one !== "member");
  const page = { page: 1, pageSize: 100, sort: "createdAt", order: "desc" } as const;
  const found = await Promise.all(roles.map(one => listUsers(prisma, { ...page, role: one, search })));
  const lines = found
    .flatMap(({ rows }) => rows)
    .map(user =>
      [user.role, user.username, user.email, user.disabledAt ? `disabled ${user.disabledAt}` : ""].join("\t"),
    );
  return `${lines.join("\n") || "–"}\n`;
}

/** Without DATABASE_URL, the database of a running `npm start` is used. */
export const userEnv = z.object({
  DATABASE_URL: z.url().optional().describe("the PostgreSQL URL, or leave it out while `npm start` runs"),
  FLOODGATE_DATA_DIR: z.string().optional(),
});
