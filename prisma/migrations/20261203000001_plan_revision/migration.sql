-- Rises with each change of symbols and split plans, in the transaction of the change: a process reads them
-- again when it has risen, instead of all of them every second.
CREATE TABLE plan_revision (
  id       integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  revision bigint NOT NULL
);
INSERT INTO plan_revision (revision) VALUES (1);

CREATE FUNCTION raise_plan_revision() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE plan_revision SET revision = revision + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER traded_symbols_revision AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON traded_symbols
  FOR EACH STATEMENT EXECUTE FUNCTION raise_plan_revision();
CREATE TRIGGER split_plans_revision AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON split_plans
  FOR EACH STATEMENT EXECUTE FUNCTION raise_plan_revision();
