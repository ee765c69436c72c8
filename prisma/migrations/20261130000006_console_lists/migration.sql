-- What the console's lists filter by, for tables that have grown.
CREATE INDEX users_disabled_idx ON users (created_at, id) WHERE disabled_at IS NOT NULL;
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
