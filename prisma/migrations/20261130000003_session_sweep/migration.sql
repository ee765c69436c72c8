-- Expired rows are found, and deleted, by their expiry.
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
CREATE INDEX verifications_expires_at_idx ON verifications (expires_at);
