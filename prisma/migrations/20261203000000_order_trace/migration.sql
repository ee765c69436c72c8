-- The rest of an order's stamp, and its times in the later stages; orders stored before have none.
ALTER TABLE engine_orders
  ADD COLUMN producer   bigint,
  ADD COLUMN sequence   bigint,
  -- When the aggregator wrote it into the ordered stream, milliseconds since 1970.
  ADD COLUMN ordered_ms bigint,
  -- When the engine stored it.
  ADD COLUMN stored_at  timestamptz(3);
ALTER TABLE engine_orders ALTER COLUMN stored_at SET DEFAULT now();
