/** Shapes of the console's procedures, until they are inferred from the router. Types only. */
export type Role = "member" | "viewer" | "trader" | "operator" | "admin";
export const ROLES: readonly Role[] = ["member", "viewer", "trader", "operator", "admin"];

export type Action =
  | "console.view"
  | "gate.view"
  | "outbox.view"
  | "outbox.replay"
  | "name.trace"
  | "user.view"
  | "user.setRole"
  | "user.disable"
  | "user.revokeSessions"
  | "reserved.view"
  | "reserved.edit"
  | "audit.view"
  | "token.view"
  | "token.manage"
  | "switch.view"
  | "switch.set";

export type Verdict = { allowed: boolean; reason?: string };
export type Me = {
  user: { id: string; username: string; email: string; role: Role } | null;
  can: Partial<Record<Action, Verdict>>;
};

export type Page<Row> = { rows: Row[]; total: number };
export type PageInput = { page: number; pageSize: number };

export type Problem = { code: string; text: string; href: string };
export type Health = {
  status: "ok" | "degraded" | "down";
  problems: Problem[];
  filter: {
    version: number | null;
    engine: string | null;
    pointerAgeMs: number | null;
    fullShards: number;
  };
  environment: string;
};
export type OutboxStatus = {
  pending: number;
  dead: number;
  oldestSeconds: number;
  deliveredLastMinute: number | null;
  relays: { name: string; claimed: number }[];
};
export type Live = { health: Health; outbox?: OutboxStatus };

export type DeadLetter = {
  seq: string;
  type: string;
  payload: unknown;
  lastError: string | null;
  attempts: number;
  deadAt: string;
  createdAt: string;
};

export type SeriesId =
  | "checks_per_s"
  | "bloom_exists_true_rate"
  | "db_fallback_rate"
  | "fallback_maybe_per_s"
  | "fallback_filter_unavailable_per_s"
  | "fallback_timeout_per_s"
  | "fallback_breaker_open_per_s"
  | "false_positive_rate_est"
  | "bloom_false_negatives_per_s"
  | "signups_per_s"
  | "signup_p50_ms"
  | "signup_p95_ms"
  | "signup_p99_ms"
  | "outbox_lag_seconds"
  | "outbox_backlog"
  | "relay_delivered_per_s"
  | "busy_per_s";
export type SeriesAnswer = {
  stepMs: number;
  at: number[];
  values: Partial<Record<SeriesId, (number | null)[]>>;
};
export type Annotation = { at: number | string; label: string; href: string; kind: string };

export type TracedUser = { id: string; username: string; createdAt: string };
export type Trace = {
  verdict: { ok: boolean; rule?: string; message?: string };
  username?: string;
  key?: string;
  skeleton?: string;
  policyVersion?: number;
  reserved: { pattern: string; kind: string; reason: string } | null;
  shard?: string;
  versions: {
    version: number;
    state: string;
    engine: string;
    shardState: string;
    answer: "absent" | "maybe" | "unsealed" | "error";
    ms: number;
  }[];
  database: { byKey: TracedUser | null; bySkeleton: TracedUser | null };
  outbox: {
    seq: string;
    type: string;
    createdAt: string;
    state: string;
    attempts: number;
    lastError: string | null;
  }[];
  conclusion: string;
};

export type UserRow = {
  id: string;
  username: string;
  usernameKey: string;
  email: string;
  role: Role;
  disabledAt: string | null;
  createdAt: string;
  sessions: number;
  version: number;
};
export type UserFilter = PageInput & {
  search?: string;
  role?: Role;
  status?: "active" | "disabled";
  sort?: "createdAt" | "username" | "role";
  order?: "asc" | "desc";
};

export type ReservedKind = "exact" | "contains" | "skeleton";
export type ReservedRow = {
  id: string;
  pattern: string;
  kind: ReservedKind;
  reason: string;
  createdBy: string | null;
  createdAt: string;
};
export type ReservedFilter = PageInput & { search?: string; kind?: ReservedKind };

export type Outcome = "ok" | "refused" | "failed";
export type AuditRow = {
  id: string;
  at: string;
  actorKind: string;
  actorId: string | null;
  actorName: string;
  role: string;
  action: string;
  target: string;
  reason: string | null;
  outcome: Outcome;
  requestId: string | null;
  address: string | null;
  before: unknown;
  after: unknown;
};
export type AuditQuery = {
  search?: string;
  action?: string;
  actor?: string;
  outcome?: Outcome;
  from?: string;
  to?: string;
};
export type AuditFilter = PageInput & AuditQuery;

export type SwitchRow = {
  action: Action;
  title: string;
  off: boolean;
  by: string | null;
  reason: string | null;
  since: string | null;
};

export type TokenRow = {
  id: string;
  name: string;
  role: Role;
  createdBy: string | null;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
};

type Options = { signal?: AbortSignal };
type Query<I, O> = { query(input: I, options?: Options): Promise<O> };
type Mutation<I, O> = { mutate(input: I, options?: Options): Promise<O> };
type Done = { ok: true };

export type ConsoleClient = {
  session: { me: Query<void, Me> };
  user: {
    list: Query<UserFilter, Page<UserRow>>;
    setRole: Mutation<{ id: string; role: Role; reason: string; version: number }, Done>;
    setDisabled: Mutation<{ id: string; disabled: boolean; reason: string; version: number }, Done>;
    revokeSessions: Mutation<{ id: string; reason: string }, Done>;
  };
  reserved: {
    list: Query<ReservedFilter, Page<ReservedRow>>;
    add: Mutation<{ pattern: string; kind: ReservedKind; reason: string }, unknown>;
    remove: Mutation<{ id: string; reason: string }, unknown>;
    dryRun: Query<{ pattern: string; kind: ReservedKind }, { blocked: number; examples: string[] }>;
  };
  audit: {
    list: Query<AuditFilter, Page<AuditRow>>;
    get: Query<{ id: string }, AuditRow>;
    csv: Query<AuditQuery, { csv: string; truncated: boolean }>;
  };
  switch: {
    list: Query<void, SwitchRow[]>;
    set: Mutation<{ action: Action; off: boolean; reason: string }, unknown>;
  };
  token: {
    list: Query<void, TokenRow[]>;
    create: Mutation<{ name: string; role: Role; expiresAt?: string }, { secret: string }>;
    revoke: Mutation<{ id: string; reason: string }, unknown>;
  };
  outbox: {
    status: Query<void, OutboxStatus>;
    deadLetters: Query<PageInput, Page<DeadLetter>>;
    replay: Mutation<{ seqs: string[]; reason: string }, { replayed: number }>;
  };
  name: { trace: Query<{ name: string }, Trace> };
  gate: {
    health: Query<void, Health>;
    live: {
      subscribe(input: undefined, handlers: LiveHandlers): { unsubscribe(): void };
    };
  };
  telemetry: {
    series: Query<{ series: SeriesId[]; from: string; to: string }, SeriesAnswer>;
    annotations: Query<{ from: string; to: string }, Annotation[]>;
  };
};

export type LiveHandlers = {
  onData(event: { id: string; data: Live }): void;
  onError(error: unknown): void;
  onConnectionStateChange(event: { state: "idle" | "connecting" | "pending"; error: unknown }): void;
};
