-- KEYS[1]  producers of a shard
-- ARGV[1]  producer
-- Returns  1
local known = redis.call('HGET', KEYS[1], ARGV[1]) or '0 *'
if string.sub(known, 1, 1) ~= 'F' then redis.call('HSET', KEYS[1], ARGV[1], 'F' .. known) end
return 1
