-- What can be traded. Prices and quantities of a symbol's orders are whole numbers of 10^-decimals. A delisted
-- symbol keeps its row: its orders and balances are in these units.
CREATE TABLE traded_symbols (
  symbol            text COLLATE "C" PRIMARY KEY CHECK (symbol ~ '^[A-Z][A-Z0-9]{0,11}$'),
  price_decimals    smallint NOT NULL CHECK (price_decimals BETWEEN 0 AND 12),
  quantity_decimals smallint NOT NULL CHECK (quantity_decimals BETWEEN 0 AND 12),
  listed_at         timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- See domain/orders/symbol-listing.ts.
  state             text NOT NULL DEFAULT 'trading' CHECK (state IN ('trading', 'halted', 'delisted')),
  -- Why, since when and by whom it is in this state.
  state_reason      text,
  state_since       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  state_by          text,
  -- Counts changes of the state, so that no change overwrites one that its author did not see.
  state_version     integer NOT NULL DEFAULT 0
);
INSERT INTO traded_symbols (symbol, price_decimals, quantity_decimals) VALUES
  ('BTC', 2, 8), ('ETH', 2, 8), ('DOGE', 5, 2), ('SOL', 3, 6), ('XRP', 5, 4), ('ADA', 5, 4);

-- How a symbol is split, one row per epoch; the highest one counts. Rows are added, never changed,
-- but for the sub-keys.
CREATE TABLE split_plans (
  symbol     text COLLATE "C" NOT NULL REFERENCES traded_symbols,
  epoch      integer NOT NULL CHECK (epoch > 0),
  factor     integer NOT NULL CHECK (factor > 0),
  strategy   text NOT NULL CHECK (strategy IN ('random', 'account')),
  placement  text NOT NULL CHECK (placement IN ('planned', 'plain')),
  reason     text NOT NULL,
  set_by     text NOT NULL,
  set_at     timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  -- Partition keys of a planned split, chosen once (docs/adr/0023-chosen-sub-keys.md). Empty: not chosen yet, or
  -- nothing to choose.
  sub_keys   text[] COLLATE "C" NOT NULL DEFAULT '{}',
  PRIMARY KEY (symbol, epoch)
);

-- How a symbol is watched: may it be split automatically, within which bounds, and what was dismissed until when.
-- No row: no automatic split, nothing dismissed.
CREATE TABLE symbol_watch (
  symbol               text COLLATE "C" PRIMARY KEY REFERENCES traded_symbols,
  automatic            boolean NOT NULL DEFAULT false,
  max_factor           integer NOT NULL DEFAULT 2 CHECK (max_factor BETWEEN 2 AND 500),
  min_hot_seconds      integer NOT NULL DEFAULT 10 CHECK (min_hot_seconds BETWEEN 5 AND 600),
  max_changes_per_hour integer NOT NULL DEFAULT 4 CHECK (max_changes_per_hour BETWEEN 1 AND 60),
  reason               text,
  set_by               text,
  set_at               timestamptz(3),
  -- Counts changes of the mode, so that no change overwrites one that its author did not see.
  version              integer NOT NULL DEFAULT 0,
  dismissed_kind       text CHECK (dismissed_kind IN ('split', 'merge')),
  dismissed_until      timestamptz(3),
  dismissed_by         text
);
