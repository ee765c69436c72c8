import type { PrismaClient } from "../../store/postgres";
import { verifyPassword } from "../access/hash-password";
import { hashInput, type Intent, readAnswer } from "../idempotency/stored-answer";

export type SignUpInput = {
  username: string;
  email: string;
  password: string;
  /** Made by the client for this sign-up; null without one, which is safe, too. */
  idempotencyKey: string | null;
};
export type SignedUp = { userId: string; username: string };

/** For so long the same name, address and password are the same sign-up, also without a key. */
const SAME_FOR_MS = 3_600_000;

/** The password is left out: `findEarlierSignUp` verifies it against its slow hash. */
export function signUpIntent(nameKey: string, { email, idempotencyKey }: SignUpInput): Intent | null {
  if (idempotencyKey === null) return null;
  const inputHash = hashInput({ name: nameKey, email });
  return { caller: "anonymous", key: idempotencyKey, procedure: "account.signUp", inputHash };
}

/**
 * The account that an earlier request of the same person made, whose answer got lost; null when the name or the
 * address is somebody else's.
 * @throws AppError CONFLICT when the key belongs to another sign-up
 */
export async function findEarlierSignUp(
  prisma: PrismaClient,
  nameKey: string,
  input: SignUpInput,
): Promise<SignedUp | null> {
  const intent = signUpIntent(nameKey, input);
  const answer = intent && ((await readAnswer(prisma, intent)) as { userId: string } | undefined);
  const user = await prisma.user.findUnique({
    where: { usernameKey: nameKey },
    select: {
      id: true,
      username: true,
      email: true,
      createdAt: true,
      disabledAt: true,
      accounts: { where: { providerId: "credential" }, select: { password: true }, take: 1 },
    },
  });
  if (!user || user.disabledAt !== null || user.email !== input.email) return null;
  const isRecent = Date.now() - user.createdAt.getTime() < SAME_FOR_MS;
  if (!isRecent && answer?.userId !== user.id) return null;
  const hash = user.accounts[0]?.password;
  if (!hash || !(await verifyPassword(hash, input.password))) return null;
  return { userId: user.id, username: user.username };
}
