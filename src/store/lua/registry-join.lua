-- KEYS[1]  the registry
-- ARGV[1]  map version
-- Returns  {the producer's number, stamp to start above, now}
-- include: now.lua
-- include: highest-stamp.lua
local start = math.max(now, highest())
local number = redis.call('HINCRBY', KEYS[1], 'next', 1)
redis.call('HSET', KEYS[1], 'p:' .. number, whole(start) .. ' ' .. whole(now) .. ' ' .. ARGV[1] .. ' {}')
return {number, whole(start), whole(now)}
