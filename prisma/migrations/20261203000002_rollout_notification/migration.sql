-- Filter workers publish a change of the rollout at once. A change is rare, so that the commits that wait for each
-- other's notification do not matter.
CREATE FUNCTION notify_rollout() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NOTIFY floodgate_rollout;
  RETURN NULL;
END $$;
CREATE TRIGGER filter_rollout_notification AFTER UPDATE ON filter_rollout
  FOR EACH STATEMENT EXECUTE FUNCTION notify_rollout();
