import { z } from "zod";
import type { RedisClient } from "../store/redis";
import { READERS_KEY } from "../store/redis-keys";
import type { PointerFollower } from "./pointer";

const readerSchema = z.object({
  version: z.number().nullable(),
  revision: z.number().nullable(),
  at: z.number(),
});

/** A server process, and the version that it follows. */
export type Reader = { instance: string; version: number | null; revision: number | null; ageMs: number };

/** A server without a report for so long has stopped. */
const EXPIRY_MS = 15_000;

/** Stores which pointer this process follows, so that the console can show the switch of each server. */
export async function noteReader(
  redis: RedisClient,
  instance: string,
  pointer: PointerFollower,
): Promise<void> {
  const { version = null, revision = null } = pointer.current ?? {};
  const report = JSON.stringify({ version, revision, at: Date.now() });
  await Promise.all([
    redis.write(READERS_KEY, "HSET", instance, report),
    redis.write(READERS_KEY, "EXPIRE", 60),
  ]);
}

/** Running servers, by name. */
export async function listReaders(redis: RedisClient, nowMs = Date.now()): Promise<Reader[]> {
  const reports = await redis.hgetall(READERS_KEY);
  return Object.entries(reports)
    .flatMap(([instance, text]) => {
      const report = parse(text);
      if (!report) return [];
      const { version, revision, at } = report;
      return [{ instance, version, revision, ageMs: nowMs - at }];
    })
    .filter(({ ageMs }) => ageMs < EXPIRY_MS)
    .sort((a, b) => a.instance.localeCompare(b.instance));
}

function parse(text: string): z.output<typeof readerSchema> | null {
  try {
    return readerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
