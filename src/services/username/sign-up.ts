import { namesItsOwner } from "../../domain/access/names-its-owner";
import { AppError } from "../../domain/app-error";
import { suggestUsernames } from "../../domain/username/suggest-usernames";
import { readUsername, type UsernameVerdict } from "../../domain/username/username-policy";
import { TimedSlots, TooManyWaiting } from "../../runtime/timed-slots";
import { isOutcomeUnknown } from "../../store/database-error";
import type { PrismaClient } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { isCommonPassword } from "../access/common-password";
import { hashPassword } from "../access/hash-password";
import { askFilter, confirmInDatabase, type GateDeps, type ProvenAnswer } from "./check-username";
import { findEarlierSignUp, type SignedUp, type SignUpInput, signUpIntent } from "./earlier-sign-up";

export type SignUpDeps = GateDeps & {
  prisma: PrismaClient;
  /** Bounds the signups that hash a password and write at the same time; see `signUpSlots`. */
  slots: TimedSlots;
  /** Notifies the relay of a new event; does not wait. */
  notifyRelay: () => void;
  /** Requests that a taken name be added to the filter again; false when its event is still pending. */
  requestRedelivery: (key: string) => Promise<boolean>;
};

/** Hashing takes 19 MiB and a thread for tens of milliseconds, writing takes a connection. */
export function signUpSlots(databasePool: number, maxWaitMs: number): TimedSlots {
  return new TimedSlots({ slots: Math.max(1, Math.min(8, databasePool - 2)), maxWaitMs });
}

type Name = Extract<UsernameVerdict, { ok: true }>;

const SUGGESTIONS_SHOWN = 3;
const NO_INTENT = { caller: null, key: null, procedure: null, inputHash: null };

/**
 * Creates an account: user, credential and (by trigger) outbox row in one transaction. The filter only
 * decides whether the database is queried first; its UNIQUE indexes decide who gets the name. A repeat after a lost
 * answer returns the account that the first request made.
 * @throws AppError BAD_REQUEST | CONFLICT | BUSY with the field it belongs to
 */
export async function signUp(deps: SignUpDeps, input: SignUpInput): Promise<SignedUp> {
  const startedAt = performance.now();
  try {
    const { account, outcome } = await create(deps, input);
    deps.metrics.signups[outcome].inc();
    return account;
  } catch (error) {
    deps.metrics.signups[outcomeOf(error)].inc();
    throw error;
  } finally {
    deps.metrics.signupLatency.observeMs(performance.now() - startedAt);
  }
}

function outcomeOf(error: unknown): "bad_request" | "conflict" | "busy" | "error" {
  if (!(error instanceof AppError)) return "error";
  if (error.code === "BAD_REQUEST") return "bad_request";
  if (error.code === "CONFLICT") return "conflict";
  return error.code === "BUSY" ? "busy" : "error";
}

type Outcome = { account: SignedUp; outcome: "created" | "repeated" };

async function create(deps: SignUpDeps, input: SignUpInput): Promise<Outcome> {
  const name = readUsername(input.username);
  if (!name.ok) throw new AppError("BAD_REQUEST", name.message, { field: "username", rule: name.rule });
  const word = deps.reserved.matcher(name);
  if (word) throw new AppError("BAD_REQUEST", word.reason, { field: "username", rule: "reserved" });

  const answer = await askFilter(deps, name);
  if (answer.answer === "maybe") {
    const confirmation = await confirmInDatabase(deps, name, answer);
    // Without an answer in time the INSERT decides.
    if (confirmation === "taken" || confirmation === "lookalike") {
      return inSlot(deps, () => repeatOrRefuse(deps, { name, input }, () => taken(deps, name, confirmation)));
    }
  }
  return inSlot(deps, () => write(deps, { name, input, answer }));
}

/** @throws AppError BUSY when the wait would be too long */
async function inSlot<T>({ slots, metrics }: SignUpDeps, work: () => Promise<T>): Promise<T> {
  const running = slots.run(work);
  metrics.signupsWaiting.set(slots.waiting);
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof TooManyWaiting)) throw error;
    const { retryAfterMs } = error;
    throw new AppError("BUSY", "Too many people are signing up. Please try again in a moment.", {
      retryAfterMs,
    });
  } finally {
    metrics.signupsWaiting.set(slots.waiting);
  }
}

type Attempt = { name: Name; input: SignUpInput };

async function write(
  deps: SignUpDeps,
  { name, input, answer }: Attempt & { answer: ProvenAnswer },
): Promise<Outcome> {
  requireGoodPassword(name, input);
  const password = await hashPassword(input.password);
  try {
    const account = await insertUser(deps.prisma, { name, input }, password);
    deps.notifyRelay();
    return { account, outcome: "created" };
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === null) return findOut(deps, { name, input }, error);
    return repeatOrRefuse(deps, { name, input }, async () => {
      if (constraint.includes("username_key") && answer.answer === "absent")
        await countFalseNegative(deps, name.key);
      return refusalOf(deps, name, constraint);
    });
  }
}

/** @throws AppError BAD_REQUEST for a password that is tried first by anyone who wants into the account */
function requireGoodPassword({ key }: Name, { email, password }: SignUpInput): void {
  const refuse = (message: string, rule: string) =>
    new AppError("BAD_REQUEST", message, { field: "password", rule });
  if (namesItsOwner(password, { key, email }))
    throw refuse("The password contains your username or e-mail address. Choose another one.", "personal");
  if (isCommonPassword(password))
    throw refuse(
      "This password is on lists of leaked passwords, or close to one. A few unrelated words are better.",
      "common",
    );
}

/** The answer to COMMIT may have got lost: then the account is there. @throws the error otherwise */
async function findOut({ prisma }: SignUpDeps, { name, input }: Attempt, error: unknown): Promise<Outcome> {
  if (!isOutcomeUnknown(error)) throw error;
  const account = await findEarlierSignUp(prisma, name.key, input).catch(() => null);
  if (!account) throw error;
  return { account, outcome: "created" };
}

/** @throws the refusal, unless an earlier request of the same person made the account */
async function repeatOrRefuse(
  deps: SignUpDeps,
  { name, input }: Attempt,
  refuse: () => Promise<AppError>,
): Promise<Outcome> {
  const account = await findEarlierSignUp(deps.prisma, name.key, input);
  if (account) return { account, outcome: "repeated" };
  throw await refuse();
}

async function refusalOf(deps: SignUpDeps, name: Name, constraint: string): Promise<AppError> {
  if (constraint.includes("email"))
    return new AppError("CONFLICT", "There already is an account with this e-mail address.", {
      field: "email",
    });
  if (constraint.includes("skeleton")) return taken(deps, name, "lookalike");
  if (constraint.includes("username_key")) return taken(deps, name, "taken");
  return new AppError("CONFLICT", "A value in this form is already in use.");
}

/** Not counted: a lost race, whose winner is in the filter by now, or whose event is still pending. */
async function countFalseNegative(deps: SignUpDeps, key: string): Promise<void> {
  if ((await deps.filter.lookup(key)).answer !== "absent") return;
  const missed = await deps.requestRedelivery(key).catch(() => false);
  if (missed) deps.metrics.falseNegatives.inc();
}

/** One statement is one transaction, in one round trip. */
async function insertUser(
  prisma: PrismaClient,
  { name, input }: Attempt,
  password: string,
): Promise<SignedUp> {
  const userId = crypto.randomUUID();
  const { username, key, skeleton, policyVersion } = name;
  const { caller, key: idempotencyKey, procedure, inputHash } = signUpIntent(key, input) ?? NO_INTENT;
  await prisma.$executeRaw`
    WITH made AS (
      INSERT INTO users (id, username, username_key, username_skeleton, policy_version, email, name)
      VALUES (${userId}::uuid, ${username}, ${key}, ${skeleton}, ${policyVersion}, ${input.email}, ${username})
      RETURNING id
    ), answered AS (
      INSERT INTO idempotency_keys (caller, key, procedure, input_hash, answer)
      SELECT ${caller}, ${idempotencyKey}, ${procedure}, ${inputHash}, jsonb_build_object('userId', id)
      FROM made WHERE ${idempotencyKey}::text IS NOT NULL
    )
    INSERT INTO accounts (account_id, provider_id, user_id, password)
    SELECT id::text, 'credential', id, ${password} FROM made`;
  return { userId, username };
}

async function taken(deps: SignUpDeps, name: Name, how: "taken" | "lookalike"): Promise<AppError> {
  const message =
    how === "taken"
      ? `The username ${name.username} is taken.`
      : `The username ${name.username} looks too much like one that is taken.`;
  const suggestions = await freeSuggestions(deps, name.key).catch(() => []);
  return new AppError("CONFLICT", message, { field: "username", rule: how, suggestions });
}

/** Names close to the requested one that the policy allows and no user has. */
async function freeSuggestions(deps: SignUpDeps, key: string): Promise<string[]> {
  const names = suggestUsernames(key, Math.random)
    .map(readUsername)
    .filter((name): name is Name => name.ok && deps.reserved.matcher(name) === null);
  const clashing = await deps.prisma.user.findMany({
    where: {
      OR: [
        { usernameKey: { in: names.map(name => name.key) } },
        { usernameSkeleton: { in: names.map(name => name.skeleton) } },
      ],
    },
    select: { usernameKey: true, usernameSkeleton: true },
  });
  const keys = new Set(clashing.map(row => row.usernameKey));
  const skeletons = new Set(clashing.map(row => row.usernameSkeleton));
  return names
    .filter(name => !keys.has(name.key) && !skeletons.has(name.skeleton))
    .slice(0, SUGGESTIONS_SHOWN)
    .map(name => name.username);
}
