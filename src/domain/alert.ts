/** What the console's banner and `/healthz` warn of; docs/banners.md has a section for each. */
export const ALERT_CODES = [
  "database_down",
  "database_refuses",
  "filter_behind",
  "redis_unreachable",
  "redis_not_owned",
  "no_filter",
  "pointer_stale",
  "breaker_open",
  "shards_full",
  "shards_unsealed",
  "relay_behind",
  "dead_letters",
  "filter_not_switched",
  "filter_unattended",
  "filter_rolled_back",
  "rebuild_failed",
  "orders_without_aggregator",
  "orders_without_engine",
  "orders_late",
  "orders_lag_unknown",
  "replication_slot_holds_wal",
] as const;

/** The last form has the name of the process: `process_down_relay`. */
export type AlertCode = (typeof ALERT_CODES)[number] | `process_down_${string}`;

/** A problem in words, and the console's page that shows its cause. */
export type Alert = { code: AlertCode; text: string; href: string };
