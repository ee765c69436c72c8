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
  snapshot          bytea,
  -- The stamp of the order at `position`: an older Redis gives the position to another order.
  last_stamp        text
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
  -- When the taker's order was stamped, microseconds since 1970.
  time_us        bigint,
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

-- What became of each limit and market order: an id is executed once, and its state can be asked for.
CREATE TABLE engine_orders (
  account_id         text COLLATE "C" NOT NULL,
  order_id           text COLLATE "C" NOT NULL,
  symbol             text COLLATE "C" NOT NULL,
  -- Of the order's first arrival in the symbol's ordered stream.
  position           bigint NOT NULL,
  kind               text NOT NULL,
  side               text NOT NULL,
  price              bigint NOT NULL,
  quantity           bigint NOT NULL,
  filled             bigint NOT NULL,
  -- Why it was refused.
  reason             text,
  cancelled_position bigint,
  time_us            bigint NOT NULL,
  PRIMARY KEY (account_id, order_id, symbol)
) WITH (fillfactor = 85);
-- To purge, and to list the newest.
CREATE INDEX engine_orders_position ON engine_orders (symbol, position);
