-- Policy version 2: "m" and "rn" are no lookalikes any more. Skeletons of plain names follow here; those of other names
-- only stop more lookalikes than needed, until `npm run users -- verify --mend` renews them. No two can become equal:
-- an old skeleton never has an "m".
UPDATE users SET username_skeleton = translate(username_key, '01', 'ol'), policy_version = 2
WHERE username_key LIKE '%m%' AND username_skeleton = translate(replace(username_key, 'm', 'rn'), '01', 'ol');
