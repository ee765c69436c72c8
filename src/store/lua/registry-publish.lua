-- KEYS[1]  the registry
-- KEYS[2]  paused symbols, each until when (µs)
-- ARGV[…]  producer, incarnation, through, map version, exceptions, the longest pause of a symbol (µs)
-- Returns  {1, now, the highest stamp of all producers, {paused symbol, for how long (µs), …}}; {0} when the
--          producer is not in the registry any more, or another one has its number
-- After a step back of this server's clock producers continue from the highest stamp: each must know it.
-- include: now.lua
local field, through = 'p:' .. ARGV[1], tonumber(ARGV[3])
local stored = redis.call('HMGET', KEYS[1], field, 'floor', 'map')
if not stored[1] then return {0} end
local before, incarnation = string.match(stored[1], '^(%d+) %d+ %d+ (%S*)')
if incarnation ~= ARGV[2] then return {0} end
-- A repeat that was delayed must not take back what a later one has claimed.
if tonumber(before) <= through then
  redis.call('HSET', KEYS[1], field, ARGV[3] .. ' ' .. whole(now) .. ' ' .. ARGV[4] .. ' ' .. ARGV[2] .. ' ' .. ARGV[5])
end
local highest = math.max(tonumber(stored[2] or 0), tonumber(before), through)
redis.call('HSET', KEYS[1], 'floor', whole(highest))
if tonumber(stored[3] or 0) < tonumber(ARGV[4]) then redis.call('HSET', KEYS[1], 'map', ARGV[4]) end
local all, paused = redis.call('HGETALL', KEYS[2]), {}
for i = 1, #all, 2 do
  local left = tonumber(all[i + 1]) - now
  -- A time that is further ahead was stored by a clock that has stepped back since.
  if left > 0 and left <= tonumber(ARGV[6]) then
    paused[#paused + 1] = all[i]
    paused[#paused + 1] = whole(left)
  end
end
return {1, whole(now), whole(highest), paused}
