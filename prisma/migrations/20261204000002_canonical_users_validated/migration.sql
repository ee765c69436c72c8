-- Reads the table without blocking writers. With rows of before that break them the constraints stay NOT VALID, until
-- `npm run users -- verify --mend` has mended the last one.
DO $$
BEGIN
  ALTER TABLE users VALIDATE CONSTRAINT users_username_key_canonical;
  ALTER TABLE users VALIDATE CONSTRAINT users_email_canonical;
EXCEPTION WHEN check_violation THEN
  RAISE NOTICE 'users have rows that are not canonical: npm run users -- verify';
END $$;
