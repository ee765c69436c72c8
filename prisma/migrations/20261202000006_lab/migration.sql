-- Runs of the scenario lab, see domain/lab/lab-run.ts. Only the last few are kept.
CREATE TABLE lab_runs (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state            text NOT NULL DEFAULT 'requested'
                     CHECK (state IN ('requested', 'running', 'done', 'cancelled', 'failed')),
  options          jsonb NOT NULL,
  choices          text[] NOT NULL,
  requested_by     text NOT NULL,
  requested_at     timestamptz(3) NOT NULL DEFAULT now(),
  started_at       timestamptz(3),
  ended_at         timestamptz(3),
  cancel_asked_by  text,
  -- Until then a worker runs it, or may still claim it; after that it has failed.
  lease_until      timestamptz(3) NOT NULL,
  owner            text,
  -- Which scenario runs, its progress so far, and the keys it makes; written twice a second.
  progress         jsonb,
  -- Figures of the scenarios that have ended.
  results          jsonb NOT NULL DEFAULT '{}',
  failure          text
);
-- One run at a time: the runs of two would share the machine, and their figures would say nothing.
CREATE UNIQUE INDEX lab_runs_one_at_a_time ON lab_runs ((true)) WHERE state IN ('requested', 'running');
