-- KEYS[1]  the registry
-- KEYS[2]  paused symbols
-- ARGV[…]  producer, through, map version, exceptions
-- Returns  {1, now, {paused symbol, until (ms), …}}; {0} when the producer is not in the registry any more
-- include: now.lua
local known = redis.call('HGET', KEYS[1], 'p:' .. ARGV[1])
if not known then return {0} end
-- A repeat that was delayed must not take back what a later one has claimed.
if tonumber(string.match(known, '^%d+')) <= tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'p:' .. ARGV[1], ARGV[2] .. ' ' .. whole(now) .. ' ' .. ARGV[3] .. ' ' .. ARGV[4])
end
if tonumber(redis.call('HGET', KEYS[1], 'map') or 0) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'map', ARGV[3])
end
return {1, whole(now), redis.call('HGETALL', KEYS[2])}
