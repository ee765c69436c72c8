-- Each change and each refused attempt. Written in the transaction of the change itself.
CREATE TABLE audit_log (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'token', 'cli', 'system', 'anonymous')),
  actor_id   text,
  actor_name text NOT NULL,
  role       text,
  action     text NOT NULL,
  target     text,
  before     jsonb,
  after      jsonb,
  reason     text,
  outcome    text NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
  request_id text,
  address    text
);
CREATE INDEX audit_log_at_idx ON audit_log (at);
CREATE INDEX audit_log_action_idx ON audit_log (action, id);
CREATE INDEX audit_log_actor_idx ON audit_log (actor_name, id);
CREATE INDEX audit_log_outcome_idx ON audit_log (outcome, id);
CREATE INDEX audit_log_actor_id_idx ON audit_log (actor_id, id);
CREATE INDEX audit_log_request_idx ON audit_log (request_id);

-- Search finds a text anywhere. Where the extension may not be installed, it works without, and slower.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX audit_log_search_idx ON audit_log
    USING gin (target gin_trgm_ops, reason gin_trgm_ops, actor_name gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
  RAISE NOTICE 'pg_trgm is not available: searching the audit log reads all of it';
END $$;

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log can only be added to: % refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
-- ALWAYS: also in sessions that switch ordinary triggers off (session_replication_role).
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;

-- Actions that an admin has switched off. No row means on.
CREATE TABLE action_switches (
  action text PRIMARY KEY,
  off    boolean NOT NULL,
  reason text NOT NULL,
  set_by text NOT NULL,
  since  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- Keys of machines. The secret itself is shown once and never stored.
CREATE TABLE service_tokens (
  id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name         text NOT NULL,
  hash         text COLLATE "C" NOT NULL,
  role         text CHECK (role IN ('viewer', 'trader', 'operator', 'admin')),
  scopes       text[] NOT NULL DEFAULT '{}',
  -- Ids and prefixes such as desk-* of the accounts that it may submit orders for; * is every account.
  accounts     text[] NOT NULL DEFAULT '{}',
  expires_at   timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at   timestamptz(3),
  created_by   text NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT service_tokens_role_or_scopes CHECK ((role IS NULL) = (cardinality(scopes) > 0)),
  CONSTRAINT service_tokens_orders_need_accounts
    CHECK (NOT 'orders.submit' = ANY (scopes) OR cardinality(accounts) > 0)
);
CREATE UNIQUE INDEX service_tokens_hash_unique ON service_tokens (hash);
CREATE UNIQUE INDEX service_tokens_name_unique ON service_tokens (name) WHERE revoked_at IS NULL;
