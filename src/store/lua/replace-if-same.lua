-- KEYS[1]  a string
-- ARGV[1]  what it must be
-- ARGV[2]  what it becomes
-- Returns  1, or 0 if it is something else
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
