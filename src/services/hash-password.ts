import { hash, verify } from "@node-rs/argon2";
import { bulkhead } from "cockatiel";
import { AppError } from "../domain/app-error";

/** OWASP's argon2id minimum (argon2id is the library's default): 19 MiB, two passes. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing takes memory and a thread for tens of milliseconds: bounded, and a bounded wait. */
const slots = { running: 4, waiting: 500 };

export class PasswordHasher {
  private readonly bulkhead = bulkhead(slots.running, slots.waiting);

  /** @throws AppError BUSY when too many are waiting */
  async hash(password: string): Promise<string> {
    if (this.bulkhead.queueSlots === 0 && this.bulkhead.executionSlots === 0) {
      throw new AppError("BUSY", "Too many signups at once. Please try again in a moment.", {
        retryAfterMs: 2_000,
      });
    }
    return this.bulkhead.execute(() => hash(password, ARGON2ID));
  }
}

export function verifyPassword(hashed: string, password: string): Promise<boolean> {
  return verify(hashed, password);
}
