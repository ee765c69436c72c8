-- People. The application makes username_key and username_skeleton; the database folds nothing.
CREATE TABLE users (
  id                uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  username          text NOT NULL,
  username_key      text COLLATE "C" NOT NULL,
  username_skeleton text COLLATE "C" NOT NULL,
  policy_version    integer NOT NULL,
  email             text COLLATE "C" NOT NULL,
  email_verified    boolean NOT NULL DEFAULT false,
  name              text NOT NULL,
  image             text,
  created_at        timestamptz(3) NOT NULL DEFAULT now(),
  updated_at        timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_username_key_length CHECK (octet_length(username_key) BETWEEN 1 AND 128)
);
CREATE UNIQUE INDEX users_username_key_unique ON users (username_key);
CREATE UNIQUE INDEX users_username_skeleton_unique ON users (username_skeleton);
CREATE UNIQUE INDEX users_email_unique ON users (email);

CREATE TABLE accounts (
  id                       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id               text NOT NULL,
  provider_id              text NOT NULL,
  user_id                  uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  access_token             text,
  refresh_token            text,
  id_token                 text,
  access_token_expires_at  timestamptz(3),
  refresh_token_expires_at timestamptz(3),
  scope                    text,
  password                 text,
  created_at               timestamptz(3) NOT NULL DEFAULT now(),
  updated_at               timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_provider_account_unique ON accounts (provider_id, account_id);
CREATE INDEX accounts_user_id_idx ON accounts (user_id);

CREATE TABLE sessions (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  token      text NOT NULL,
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX sessions_token_unique ON sessions (token);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);

CREATE TABLE verifications (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX verifications_identifier_idx ON verifications (identifier);

CREATE TABLE reserved_words (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  pattern    text NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('exact', 'contains', 'skeleton')),
  reason     text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX reserved_words_kind_pattern_unique ON reserved_words (kind, pattern);

CREATE TABLE filter_versions (
  version        integer PRIMARY KEY CHECK (version > 0),
  engine         text NOT NULL CHECK (engine IN ('redisbloom', 'bitmap')),
  state          text NOT NULL CHECK (state IN ('building', 'active', 'retired')),
  shard_capacity integer NOT NULL CHECK (shard_capacity BETWEEN 1 AND 1073741824),
  error_rate     double precision NOT NULL CHECK (error_rate > 0 AND error_rate < 1),
  created_at     timestamptz(3) NOT NULL DEFAULT now(),
  activated_at   timestamptz(3)
);
-- Readers follow one version: the database refuses a second active one.
CREATE UNIQUE INDEX filter_versions_one_active ON filter_versions ((state)) WHERE state = 'active';

-- Every change of a username, in the changing transaction. The first five columns and `payload`
-- are what Debezium's outbox event router reads; the rest is the relay's own bookkeeping.
CREATE TABLE outbox (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  aggregatetype   text NOT NULL,
  aggregateid     text NOT NULL,
  type            text NOT NULL,
  payload         jsonb NOT NULL,
  seq             bigint GENERATED ALWAYS AS IDENTITY,
  xid             xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  claimed_by      text,
  claimed_until   timestamptz,
  attempts        integer NOT NULL DEFAULT 0,
  data_errors     integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  last_error      text,
  processed_at    timestamptz,
  dead_at         timestamptz
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- The queue itself. Small however many processed rows are kept.
CREATE INDEX outbox_pending_idx ON outbox (seq) WHERE processed_at IS NULL AND dead_at IS NULL;
CREATE INDEX outbox_processed_idx ON outbox (processed_at) WHERE processed_at IS NOT NULL;
CREATE INDEX outbox_dead_idx ON outbox (seq) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_aggregate_idx ON outbox (aggregateid);

-- One row per username that came into use or went out of it. Statement-level, so that a bulk
-- import pays one insert; no NOTIFY here, since that would serialise commits.
-- The search path is fixed: a session's own must neither break it nor lead it to another table.
CREATE FUNCTION outbox_usernames() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'username', n.id::text, 'username.claimed', jsonb_build_object('v', 1, 'key', n.username_key)
    FROM new_rows n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'username', n.id::text, 'username.renamed',
           jsonb_build_object('v', 1, 'key', n.username_key, 'previousKey', o.username_key)
    FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.username_key <> o.username_key
    UNION ALL
    -- A statement that changes ids as well: the new id owns a name that no row had under it.
    SELECT 'username', n.id::text, 'username.claimed', jsonb_build_object('v', 1, 'key', n.username_key)
    FROM new_rows n WHERE NOT EXISTS (SELECT FROM old_rows o WHERE o.id = n.id);
  ELSE
    INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'username', o.id::text, 'username.released', jsonb_build_object('v', 1, 'previousKey', o.username_key)
    FROM old_rows o;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER users_outbox_insert AFTER INSERT ON users
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION outbox_usernames();
CREATE TRIGGER users_outbox_update AFTER UPDATE ON users
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION outbox_usernames();
CREATE TRIGGER users_outbox_delete AFTER DELETE ON users
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION outbox_usernames();

-- Redis masters whose writes since the last look are known to be there. A new identity (restart,
-- failover) means that acknowledged adds may be lost: every event that is kept is delivered once more.
CREATE TABLE filter_nodes (
  identity text PRIMARY KEY,
  seen_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
