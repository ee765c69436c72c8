-- KEYS[1]  the registry
-- ARGV[1]  µs that a producer without watermarks may lag behind the clock
-- Returns  {now, floor, number of this view, everything in the registry}
-- While no producer has joined, the clock is the watermark. It becomes the floor first, so that a producer
-- that joins starts above it. The number of a view is the clock (µs), or one more than the last where the clock
-- has stepped back.
-- include: now.lua
local all, joined = redis.call('HGETALL', KEYS[1]), false
local floor, unregistered, readAt = 0, 0, 0
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 2) == 'p:' then joined = true end
  if all[i] == 'floor' then floor = tonumber(all[i + 1]) end
  if all[i] == 'readAt' then readAt = tonumber(all[i + 1]) end
  if all[i] == 'unregistered' then
    unregistered = math.min(now, tonumber(all[i + 1]))
    if unregistered == now then redis.call('HSET', KEYS[1], 'unregistered', whole(now)) end
    all[i + 1] = whole(unregistered)
  end
end
local clock = now
if now - unregistered < 600000000 then clock = now - tonumber(ARGV[1]) end
readAt = math.max(now, readAt + 1)
redis.call('HSET', KEYS[1], 'readAt', whole(readAt))
if not joined and clock > floor then
  floor = clock
  redis.call('HSET', KEYS[1], 'floor', whole(floor))
end
return {whole(now), whole(floor), whole(readAt), all}
