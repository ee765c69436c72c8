import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { Pool } from "../store/postgres";

/** What `next build` has made. */
export type PageBuild = {
  id: string;
  /** The folder that is served under ASSETS_PREFIX. */
  assets: string;
};

export type PageAsset = { type: string; body: Buffer };

export const ASSETS_PREFIX = "/_next/static/";

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
};

/** Of a build that another server has stored, a tab asks at most a moment later. */
const LOOK_EVERY_MS = 1_000;

/** Null in development, where there is no build. */
export async function readPageBuild(folder: string): Promise<PageBuild | null> {
  const id = await readFile(join(folder, "BUILD_ID"), "utf8").catch(() => null);
  return id === null ? null : { id: id.trim(), assets: join(folder, "static") };
}

/** The assets of the builds of the last day, of this server and of others: a tab from before a deploy needs them. */
export class PageAssets {
  private own: ReadonlySet<string> = new Set();
  private kept: ReadonlySet<string> = new Set();
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly pool: Pool,
    private readonly folder: string,
  ) {}

  /** Stores this build's assets for another day, and deletes those whose day has passed. */
  async publish(): Promise<void> {
    const files = await listFiles(this.folder);
    const paths = files.map(file => ASSETS_PREFIX + relative(this.folder, file).split(sep).join("/"));
    this.own = new Set(paths);
    const { rows } = await this.pool.query<{ path: string }>(
      "UPDATE page_assets SET kept_until = now() + interval '1 day' WHERE path = ANY ($1) RETURNING path",
      [paths],
    );
    const stored = new Set(rows.map(({ path }) => path));
    for (const [n, path] of paths.entries()) {
      if (stored.has(path) || !(extname(path) in TYPES)) continue;
      await this.pool.query("INSERT INTO page_assets (path, body) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
        path,
        await readFile(files[n]!),
      ]);
    }
    await this.pool.query("DELETE FROM page_assets WHERE kept_until < now()");
  }

  /** An asset of another build; null for this build's own, which the pages serve, and for what nobody has. */
  async find(path: string): Promise<PageAsset | null> {
    if (this.own.has(path) || !(await this.isKept(path))) return null;
    const { rows } = await this.pool.query<{ body: Buffer }>("SELECT body FROM page_assets WHERE path = $1", [
      path,
    ]);
    return rows[0] ? { type: TYPES[extname(path)]!, body: rows[0].body } : null;
  }

  /** Paths that nobody has cost at most one query a second. */
  private async isKept(path: string): Promise<boolean> {
    if (this.kept.has(path)) return true;
    if (performance.now() - this.lookedAtMs < LOOK_EVERY_MS) return false;
    this.lookedAtMs = performance.now();
    const { rows } = await this.pool.query<{ path: string }>("SELECT path FROM page_assets");
    this.kept = new Set(rows.map(row => row.path));
    return this.kept.has(path);
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}
