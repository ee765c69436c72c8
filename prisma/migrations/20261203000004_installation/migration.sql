-- Who writes into Redis: this id, with the identity of the database (ADR 33). A copy of the database has the same id.
CREATE TABLE installation (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  installation_id uuid NOT NULL DEFAULT gen_random_uuid(),
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO installation DEFAULT VALUES;
