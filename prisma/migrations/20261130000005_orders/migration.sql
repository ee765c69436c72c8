-- What can be traded. Prices and quantities of a symbol's orders are whole numbers of 10^-decimals.
CREATE TABLE traded_symbols (
  symbol            text COLLATE "C" PRIMARY KEY CHECK (symbol ~ '^[A-Z][A-Z0-9]{0,11}$'),
  price_decimals    smallint NOT NULL CHECK (price_decimals BETWEEN 0 AND 12),
  quantity_decimals smallint NOT NULL CHECK (quantity_decimals BETWEEN 0 AND 12),
  listed_at         timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO traded_symbols (symbol, price_decimals, quantity_decimals) VALUES
  ('BTC', 2, 8), ('ETH', 2, 8), ('DOGE', 5, 2), ('SOL', 3, 6), ('XRP', 5, 4), ('ADA', 5, 4);

-- How a symbol is split, one row per epoch; the highest one counts. Rows are added, never changed.
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
  PRIMARY KEY (symbol, epoch)
);

-- The engine's progress and state per symbol, stored with the results up to that position.
CREATE TABLE engine_states (
  symbol            text COLLATE "C" PRIMARY KEY,
  epoch             bigint NOT NULL,
  position          bigint NOT NULL,
  orders            bigint NOT NULL,
  trades            bigint NOT NULL,
  rejects           bigint NOT NULL,
  violations        bigint NOT NULL,
  -- Book and balances as of snapshot_position, from where the stream is read again after a crash.
  snapshot_position bigint NOT NULL,
  snapshot          bytea
);

CREATE TABLE engine_trades (
  symbol         text COLLATE "C" NOT NULL,
  position       bigint NOT NULL,
  number         integer NOT NULL,
  price          bigint NOT NULL,
  quantity       bigint NOT NULL,
  taker_account  text NOT NULL,
  taker_order_id text NOT NULL,
  maker_account  text NOT NULL,
  maker_order_id text NOT NULL,
  PRIMARY KEY (symbol, position, number)
);

CREATE TABLE engine_rejects (
  symbol     text COLLATE "C" NOT NULL,
  position   bigint NOT NULL,
  account_id text NOT NULL,
  order_id   text NOT NULL,
  reason     text NOT NULL,
  PRIMARY KEY (symbol, position)
);
