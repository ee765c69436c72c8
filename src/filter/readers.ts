import { z } from "zod";
import type { RedisClient } from "../store/redis";
import { READERS_KEY } from "../store/redis-keys";
import type { PointerFollower } from "./pointer";

const noteSchema = z.object({
  version: z.number().nullable(),
  revision: z.number().nullable(),
  at: z.number(),
});

/** A server process, and which version it follows. */
export type Reader = { instance: string; version: number | null; revision: number | null; ageMs: number };

/** A server that has not said anything for so long is gone. */
const FORGET_MS = 15_000;

/** Says which pointer this process follows, so that a flip can be watched as it arrives. */
export async function noteReader(
  redis: RedisClient,
  instance: string,
  pointer: PointerFollower,
): Promise<void> {
  const { version = null, revision = null } = pointer.current ?? {};
  await redis.hset(READERS_KEY, instance, JSON.stringify({ version, revision, at: Date.now() }));
  await redis.expire(READERS_KEY, 60);
}

/** Servers that said something lately, by name. */
export async function listReaders(redis: RedisClient, nowMs = Date.now()): Promise<Reader[]> {
  const notes = await redis.hgetall(READERS_KEY);
  return Object.entries(notes)
    .flatMap(([instance, text]) => {
      const note = parse(text);
      return note
        ? [{ instance, version: note.version, revision: note.revision, ageMs: nowMs - note.at }]
        : [];
    })
    .filter(({ ageMs }) => ageMs < FORGET_MS)
    .sort((a, b) => a.instance.localeCompare(b.instance));
}

function parse(text: string): z.output<typeof noteSchema> | null {
  try {
    return noteSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
