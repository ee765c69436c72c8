-- The filter also holds the skeleton of each user, unless it is the key: the check then knows of lookalikes. The event of
-- a name carries it. Skeletons of before come into the filter with the next rebuild.
CREATE OR REPLACE FUNCTION outbox_usernames() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'username', n.id::text, 'username.claimed', jsonb_strip_nulls(jsonb_build_object(
             'v', 1, 'key', n.username_key, 'skeleton', nullif(n.username_skeleton, n.username_key)))
    FROM new_rows n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'username', n.id::text, 'username.renamed', jsonb_strip_nulls(jsonb_build_object(
             'v', 1, 'key', n.username_key, 'skeleton', nullif(n.username_skeleton, n.username_key),
             'previousKey', o.username_key))
    FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.username_key <> o.username_key
    UNION ALL
    -- A skeleton that was mended. And a statement that changes ids: the new id owns a name that no row had under it.
    SELECT 'username', n.id::text, 'username.claimed', jsonb_strip_nulls(jsonb_build_object(
             'v', 1, 'key', n.username_key, 'skeleton', nullif(n.username_skeleton, n.username_key)))
    FROM new_rows n LEFT JOIN old_rows o ON o.id = n.id
    WHERE o.id IS NULL OR (n.username_key = o.username_key AND n.username_skeleton <> o.username_skeleton);
  ELSE
    INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'username', o.id::text, 'username.released', jsonb_build_object('v', 1, 'previousKey', o.username_key)
    FROM old_rows o;
  END IF;
  RETURN NULL;
END $$;
