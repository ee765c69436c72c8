-- The partition keys of a planned split, chosen once by whoever saw the plan first (docs/adr/0036). Empty: nobody has
-- yet, or there is nothing to choose.
ALTER TABLE split_plans ADD COLUMN sub_keys text[] COLLATE "C" NOT NULL DEFAULT '{}';
