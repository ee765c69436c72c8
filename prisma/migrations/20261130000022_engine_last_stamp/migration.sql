-- The stamp of the order at `position`: a Redis that came back older gives the position to another one.
ALTER TABLE engine_states ADD COLUMN last_stamp text;
