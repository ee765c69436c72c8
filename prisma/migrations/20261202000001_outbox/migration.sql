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

-- The oldest pending events, at most so many, read in the order of the index. The planner, which knows of a queue
-- that is mostly short, would else read and sort all of it after an import of millions.
CREATE FUNCTION oldest_pending_events(most integer) RETURNS SETOF outbox LANGUAGE sql STABLE ROWS 1000
  SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
  SELECT * FROM outbox WHERE processed_at IS NULL AND dead_at IS NULL ORDER BY seq LIMIT most
$$;
CREATE INDEX outbox_processed_idx ON outbox (processed_at) WHERE processed_at IS NOT NULL;
-- How many events were delivered since then, at most so many; by the index, too.
CREATE FUNCTION count_delivered_events(since timestamptz, most integer) RETURNS integer LANGUAGE sql STABLE
  SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
  SELECT count(*)::int FROM (SELECT FROM outbox WHERE processed_at > since ORDER BY processed_at LIMIT most) d
$$;
CREATE INDEX outbox_dead_idx ON outbox (seq) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_aggregate_idx ON outbox (aggregateid);
-- The events about one name, for the name trace.
CREATE INDEX outbox_key_idx ON outbox ((payload ->> 'key'));
CREATE INDEX outbox_previous_key_idx ON outbox ((payload ->> 'previousKey')) WHERE payload ? 'previousKey';

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
