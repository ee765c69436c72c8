-- Health locks this row: that is a write, which a read-only server and a full disk refuse.
CREATE TABLE write_probe (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1)
);
INSERT INTO write_probe DEFAULT VALUES;
