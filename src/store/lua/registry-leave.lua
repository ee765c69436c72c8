-- KEYS[1]  the registry
-- ARGV[1]  producer
-- ARGV[2]  its incarnation; for a fence "", and then in ARGV[3] when it was seen last. It stays if it is another
--          one, or has been seen since
-- Returns  1 if it is gone, else 0. The floor rises to the highest watermark, its own included
-- include: now.lua
-- include: highest-stamp.lua
local known = redis.call('HGET', KEYS[1], 'p:' .. ARGV[1])
if not known then return 1 end
local seen, incarnation = string.match(known, '^%d+ (%d+) %d+ (%S*)')
if ARGV[2] ~= '' and ARGV[2] ~= incarnation then return 0 end
if ARGV[3] and ARGV[3] ~= seen then return 0 end
redis.call('HSET', KEYS[1], 'floor', whole(highest()))
redis.call('HDEL', KEYS[1], 'p:' .. ARGV[1])
return 1
