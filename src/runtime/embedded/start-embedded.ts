import { openDataFolder } from "./data-folder";
import { requireRedis } from "./install-redis";
import { startPostgres } from "./postgres";
import { startRedis } from "./redis";
import { loadSecrets } from "./secrets";

export type StartEmbeddedOptions = {
  dataDir: string;
  needPostgres: boolean;
  needRedis: boolean;
  log: (line: string) => void;
  /** Called when Postgres has crashed too often to be restarted; thrown by default. */
  onFailure?: (reason: string) => void;
  /** Called with the reason when Redis goes down, and with null when it answers again. */
  onRedisChange?: (reason: string | null) => void;
  /** Ends a start in progress: its servers are stopped, and the promise rejects. */
  signal?: AbortSignal;
};

export type Embedded = {
  databaseUrl?: string;
  redisUrl?: string;
  /** Redis first, then Postgres, whose fast shutdown keeps the data clean. */
  stop(): Promise<void>;
};

/**
 * Starts the servers that are needed, with their data in `dataDir`, and resolves when they answer. One
 * caller per data folder at a time: running servers of the folder are stopped as leftovers.
 */
export async function startEmbedded(options: StartEmbeddedOptions): Promise<Embedded> {
  const { dataDir, needPostgres, needRedis, log, signal } = options;
  const { onFailure = fail, onRedisChange = () => {} } = options;
  const folder = openDataFolder(dataDir);
  const secrets = loadSecrets(folder.secrets);
  const shared = { folder, log, signal };
  // Before the slow first start of Postgres, since it may end in "please install".
  const command = needRedis ? await requireRedis(log, signal) : undefined;

  const postgres = needPostgres
    ? await startPostgres({ ...shared, onFailure, password: secrets.postgresPassword })
    : undefined;
  try {
    const redis =
      command === undefined
        ? undefined
        : await startRedis({ ...shared, onChange: onRedisChange, password: secrets.redisPassword, command });
    return {
      databaseUrl: postgres?.url,
      redisUrl: redis?.url,
      async stop() {
        await redis?.stop();
        await postgres?.stop();
      },
    };
  } catch (error) {
    await postgres?.stop();
    throw error;
  }
}

function fail(reason: string): never {
  throw new Error(reason);
}
