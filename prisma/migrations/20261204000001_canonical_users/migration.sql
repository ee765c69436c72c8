-- What SQL can see of the forms that the application makes: no import or other service writes two spellings of one name
-- or mailbox. NOT VALID: rows of before do not stop the migration, and are found by `npm run users -- verify`.
ALTER TABLE users
  ADD CONSTRAINT users_username_key_canonical CHECK (
    username_key IS NFKC NORMALIZED AND username_key !~ '[A-Z[:space:][:cntrl:]]'
  ) NOT VALID,
  ADD CONSTRAINT users_email_canonical CHECK (
    email IS NFKC NORMALIZED AND email !~ '[A-Z[:cntrl:]]' AND email ~ '^[^[:space:]].*@[!-?A-~]+$'
  ) NOT VALID;
