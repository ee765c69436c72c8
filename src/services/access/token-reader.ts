import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type Actor, readTokenActor, tokenHash } from "./read-actor";

type Limits = {
  /** Tokens that were not seen valid before, per client address and minute. */
  unknownPerMinute: number;
};

/** Hashes that are remembered as valid; after so many, all are forgotten. */
const MAX_KNOWN = 10_000;

/**
 * Reads the caller of a token. A token that was valid at its last use costs nothing; any other is charged to the
 * client's address before the database is asked, so that made-up tokens can't flood it. Counted in this process.
 */
export class TokenReader {
  private readonly known = new Set<string>();
  private readonly limiter: RateLimiterMemory;

  constructor(
    private readonly prisma: PrismaClient,
    { unknownPerMinute }: Limits,
  ) {
    this.limiter = new RateLimiterMemory({ keyPrefix: "token", points: unknownPerMinute, duration: 60 });
  }

  /**
   * @returns null when the token is unknown, revoked or expired
   * @throws AppError RATE_LIMITED
   */
  async read(authorization: string, clientAddress: string): Promise<Actor | null> {
    const hash = tokenHash(authorization);
    if (hash === null) return null;
    if (!this.known.has(hash)) await this.charge(clientAddress);
    const actor = await readTokenActor(this.prisma, hash);
    if (actor === null) this.known.delete(hash);
    else this.remember(hash);
    return actor;
  }

  private remember(hash: string): void {
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.add(hash);
  }

  private async charge(clientAddress: string): Promise<void> {
    try {
      await this.limiter.consume(clientAddress);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const retryAfterMs = Math.max(1, refusal.msBeforeNext);
      const seconds = Math.ceil(retryAfterMs / 1_000);
      throw new AppError("RATE_LIMITED", `Too many unknown tokens. Try again in ${seconds} s.`, {
        retryAfterMs,
      });
    }
  }
}
