-- How a symbol is watched: may it be split by itself, within which bounds, and what was dismissed until when.
-- No row: nothing by itself, nothing dismissed.
CREATE TABLE symbol_watch (
  symbol               text COLLATE "C" PRIMARY KEY REFERENCES traded_symbols,
  automatic            boolean NOT NULL DEFAULT false,
  max_factor           integer NOT NULL DEFAULT 2 CHECK (max_factor BETWEEN 2 AND 500),
  min_hot_seconds      integer NOT NULL DEFAULT 10 CHECK (min_hot_seconds BETWEEN 5 AND 600),
  max_changes_per_hour integer NOT NULL DEFAULT 4 CHECK (max_changes_per_hour BETWEEN 1 AND 60),
  reason               text,
  set_by               text,
  set_at               timestamptz(3),
  -- Counts changes of the mode, for those who save over what they have not seen.
  version              integer NOT NULL DEFAULT 0,
  dismissed_kind       text CHECK (dismissed_kind IN ('split', 'unsplit')),
  dismissed_until      timestamptz(3),
  dismissed_by         text
);
