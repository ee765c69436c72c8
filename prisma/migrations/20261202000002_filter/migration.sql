-- One build of the filter, from the operator's request to the removal of its keys: domain/filter/filter-version.ts.
CREATE TABLE filter_versions (
  version        integer PRIMARY KEY CHECK (version > 0),
  engine         text NOT NULL CHECK (engine IN ('redisbloom', 'bitmap')),
  state          text NOT NULL CONSTRAINT filter_versions_state_check CHECK (state IN (
    'requested', 'building', 'catching-up', 'verifying', 'ready', 'active', 'previous',
    'retiring', 'retired', 'discarding', 'cancelled', 'failed')),
  shard_capacity integer NOT NULL CHECK (shard_capacity BETWEEN 1 AND 1073741824),
  error_rate     double precision NOT NULL CHECK (error_rate > 0 AND error_rate < 1),
  created_at     timestamptz(3) NOT NULL DEFAULT now(),
  activated_at   timestamptz(3),
  -- Names all shards together are made for.
  capacity       bigint CHECK (capacity > 0),
  requested_by   text NOT NULL DEFAULT 'system',
  reason         text,
  -- No operator decides: without it no reader has a filter.
  auto_promote   boolean NOT NULL DEFAULT false,
  -- Events of this transaction and later ones are replayed into the version.
  snapshot_xmin  xid8,
  -- What the worker is doing: phase, rows, rate, throttle; written about once a second.
  progress       jsonb NOT NULL DEFAULT '{}',
  -- Why it ended, or why it was rolled back.
  failure        text,
  verify_request text CHECK (verify_request IN ('sample', 'every-row')),
  report         jsonb,
  full_shards    smallint[] NOT NULL DEFAULT '{}',
  shadow_percent real NOT NULL DEFAULT 0 CHECK (shadow_percent BETWEEN 0 AND 100),
  canary_percent real NOT NULL DEFAULT 0 CHECK (canary_percent BETWEEN 0 AND 100),
  shadow_since   timestamptz(3),
  armed_until    timestamptz(3),
  armed_by       text,
  -- The first of two people who agreed to promote it, where two are asked for.
  approved_by    text,
  baseline       jsonb,
  bake_until     timestamptz(3),
  state_at       timestamptz(3) NOT NULL DEFAULT now(),
  -- When the pointer was read back from Redis.
  switched_at    timestamptz(3),
  -- Readers follow one version. Checked at commit: a rollback swaps two of them.
  CONSTRAINT filter_versions_one_active
    EXCLUDE (state WITH =) WHERE (state = 'active') DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT filter_versions_one_previous
    EXCLUDE (state WITH =) WHERE (state = 'previous') DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX filter_versions_one_candidate ON filter_versions ((true))
  WHERE state IN ('requested', 'building', 'catching-up', 'verifying', 'ready');

-- One row. Its revision rises with every change that readers must follow, and is what an operator
-- must have seen: of two who decide at once, one is told to look again.
CREATE TABLE filter_rollout (
  id                  integer PRIMARY KEY CHECK (id = 1),
  revision            bigint NOT NULL,
  rebuild_every_hours integer CHECK (rebuild_every_hours BETWEEN 1 AND 8760),
  schedule_set_by     text
);
INSERT INTO filter_rollout (id, revision) VALUES (1, 1);

-- Redis masters whose writes since the last look are known to be there. A new identity (restart,
-- failover) means that acknowledged adds may be lost: every kept event is delivered again.
CREATE TABLE filter_nodes (
  identity text PRIMARY KEY,
  seen_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
