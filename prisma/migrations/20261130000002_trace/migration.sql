-- The events about one name, for whoever asks why it cannot be had.
CREATE INDEX outbox_key_idx ON outbox ((payload ->> 'key'));
CREATE INDEX outbox_previous_key_idx ON outbox ((payload ->> 'previousKey')) WHERE payload ? 'previousKey';
