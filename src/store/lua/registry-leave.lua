-- KEYS[1]  the registry
-- ARGV[1]  producer
-- ARGV[2]  only for a fence: when it was seen last. It stays if it has been seen since
-- Returns  1 if it is gone, else 0. The floor rises to the highest watermark, its own included
-- include: now.lua
-- include: highest-stamp.lua
local known = redis.call('HGET', KEYS[1], 'p:' .. ARGV[1])
if not known then return 1 end
if ARGV[2] and string.match(known, '^%d+ (%d+)') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'floor', whole(highest()))
redis.call('HDEL', KEYS[1], 'p:' .. ARGV[1])
return 1
