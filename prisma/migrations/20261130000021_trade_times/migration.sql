-- When the taker's order was stamped, microseconds since 1970. Null: a trade from before this column.
ALTER TABLE engine_trades ADD COLUMN time_us bigint;
