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
  role              text NOT NULL DEFAULT 'member'
                      CONSTRAINT users_role_known
                      CHECK (role IN ('member', 'viewer', 'trader', 'operator', 'admin')),
  disabled_at       timestamptz(3),
  -- Counts changes made by staff: a change names the version that its author saw.
  version           integer NOT NULL DEFAULT 0,
  created_at        timestamptz(3) NOT NULL DEFAULT now(),
  updated_at        timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_username_key_length CHECK (octet_length(username_key) BETWEEN 1 AND 128)
);
CREATE UNIQUE INDEX users_username_key_unique ON users (username_key);
CREATE UNIQUE INDEX users_username_skeleton_unique ON users (username_skeleton);
CREATE UNIQUE INDEX users_email_unique ON users (email);
-- The users page sorts by both; the last-admin check reads the first alone.
CREATE INDEX users_role_idx ON users (role, created_at, id);
CREATE INDEX users_created_at_idx ON users (created_at, id);
CREATE INDEX users_disabled_idx ON users (created_at, id) WHERE disabled_at IS NOT NULL;

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
-- Expired rows are found, and deleted, by their expiry.
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);

CREATE TABLE verifications (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX verifications_identifier_idx ON verifications (identifier);
CREATE INDEX verifications_expires_at_idx ON verifications (expires_at);

CREATE TABLE reserved_words (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  pattern    text NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('exact', 'contains', 'skeleton')),
  reason     text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX reserved_words_kind_pattern_unique ON reserved_words (kind, pattern);
