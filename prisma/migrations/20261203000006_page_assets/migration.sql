-- Scripts, styles and fonts of the builds that were served in the last day, by all servers: a tab from before a deploy
-- loads its lazy parts from here. A path has a hash of its content, so it never changes.
CREATE TABLE page_assets (
  path text PRIMARY KEY CHECK (length(path) <= 300),
  body bytea NOT NULL,
  kept_until timestamptz(3) NOT NULL DEFAULT now() + interval '1 day'
);
