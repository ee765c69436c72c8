-- KEYS[1]  the registry
-- ARGV[…]  map version, incarnation, the number and the highest stamp that the producer had before
-- Returns  {the producer's number, stamp to start above, now}
-- include: now.lua
-- include: highest-stamp.lua
local start = math.max(now, highest(), tonumber(ARGV[4]))
local number = math.max(tonumber(redis.call('HGET', KEYS[1], 'next') or 0), tonumber(ARGV[3])) + 1
local claim = whole(start) .. ' ' .. whole(now) .. ' ' .. ARGV[1] .. ' ' .. ARGV[2] .. ' {}'
redis.call('HSET', KEYS[1], 'next', number, 'p:' .. number, claim)
return {number, whole(start), whole(now)}
