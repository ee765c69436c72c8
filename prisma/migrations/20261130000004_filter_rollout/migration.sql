-- A version's whole way, from an operator's wish to the removal of its keys: see domain/filter-version.ts.
ALTER TABLE filter_versions DROP CONSTRAINT filter_versions_state_check;
-- Filled by other rules than those that hold from here on; the worker removes what there is of it.
UPDATE filter_versions SET state = 'discarding' WHERE state = 'building';
ALTER TABLE filter_versions
  ADD CONSTRAINT filter_versions_state_check CHECK (state IN (
    'requested', 'building', 'catching-up', 'verifying', 'ready', 'active', 'previous',
    'retiring', 'retired', 'discarding', 'cancelled', 'failed')),
  -- Names all shards together are made for; null in versions older than this column.
  ADD COLUMN capacity       bigint CHECK (capacity > 0),
  ADD COLUMN requested_by   text NOT NULL DEFAULT 'system',
  ADD COLUMN reason         text,
  -- No operator decides: nobody could be served from a filter before.
  ADD COLUMN auto_promote   boolean NOT NULL DEFAULT false,
  -- Events of this transaction and later ones are replayed into the version.
  ADD COLUMN snapshot_xmin  xid8,
  -- What the worker is doing: phase, rows, rate, throttle; written about once a second.
  ADD COLUMN progress       jsonb NOT NULL DEFAULT '{}',
  -- Why it ended, or why it was rolled back.
  ADD COLUMN failure        text,
  ADD COLUMN verify_request text CHECK (verify_request IN ('sample', 'every-row')),
  ADD COLUMN report         jsonb,
  ADD COLUMN full_shards    smallint[] NOT NULL DEFAULT '{}',
  ADD COLUMN shadow_percent real NOT NULL DEFAULT 0 CHECK (shadow_percent BETWEEN 0 AND 100),
  ADD COLUMN canary_percent real NOT NULL DEFAULT 0 CHECK (canary_percent BETWEEN 0 AND 100),
  ADD COLUMN shadow_since   timestamptz(3),
  ADD COLUMN armed_until    timestamptz(3),
  ADD COLUMN armed_by       text,
  -- The first of two people who agreed to promote it, where two are asked for.
  ADD COLUMN approved_by    text,
  ADD COLUMN baseline       jsonb,
  ADD COLUMN bake_until     timestamptz(3),
  ADD COLUMN state_at       timestamptz(3) NOT NULL DEFAULT now(),
  -- When the pointer was read back from Redis.
  ADD COLUMN switched_at    timestamptz(3);
-- Checked at commit: a rollback swaps two of them.
DROP INDEX filter_versions_one_active;
ALTER TABLE filter_versions
  ADD CONSTRAINT filter_versions_one_active
    EXCLUDE (state WITH =) WHERE (state = 'active') DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT filter_versions_one_previous
    EXCLUDE (state WITH =) WHERE (state = 'previous') DEFERRABLE INITIALLY DEFERRED;
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
