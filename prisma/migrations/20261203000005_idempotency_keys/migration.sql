-- What a client asked for under a key, and what it was answered; written in the transaction of the change, so that a
-- repeat after a lost answer gets the first outcome. An answer of NULL: begun, and the outcome is not known yet.
CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key text NOT NULL,
  procedure text NOT NULL,
  input_hash text NOT NULL,
  answer jsonb,
  expires_at timestamptz(3) NOT NULL DEFAULT now() + interval '1 day',
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);
