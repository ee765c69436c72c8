import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const Secrets = z.object({
  authSecret: z.string().min(32),
  postgresPassword: z.string().min(32),
  redisPassword: z.string().min(32),
});
export type Secrets = z.infer<typeof Secrets>;

/** Reads the secrets of this installation, or creates them (0600). Never log them. */
export function loadSecrets(file: string): Secrets {
  const fresh: Secrets = { authSecret: random(), postgresPassword: random(), redisPassword: random() };
  try {
    writeFileSync(file, `${JSON.stringify(fresh, null, 2)}\n`, { flag: "wx", mode: 0o600, flush: true });
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  try {
    return Secrets.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Without the cause: a parser's message may quote the file.
    throw new Error(
      `${file} does not contain valid secrets. Restore it, or remove the data folder to start without data.`,
    );
  }
}

/** Hexadecimal, so that it needs no escaping in a URL or a configuration file. */
function random(): string {
  return randomBytes(32).toString("hex");
}
