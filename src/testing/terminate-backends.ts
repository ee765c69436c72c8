import { runSql } from "./test-database";

/** Ends connections as a restart or a failover of Postgres does, and waits for their end; `where` is about pg_stat_activity. */
export async function terminateBackends(url: string, where: string): Promise<void> {
  await runSql(
    url,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND (${where})`,
  );
}
