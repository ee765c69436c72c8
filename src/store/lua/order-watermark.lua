-- KEYS[…]  stream, meta of a shard
-- ARGV[…]  the watermark record, the number of the view that it is from, µs that must lie between two of them
-- Returns  1, or 0 if a newer one is there or the shard is closed
-- include: now.lua
-- include: watermark-due.lua
local meta = redis.call('HMGET', KEYS[2], 'closed', 'n', 'watermarkAt', 'readAt')
if meta[1] or not due(meta[3], meta[4], ARGV[3], ARGV[2]) then return 0 end
local n = tonumber(meta[2] or 0) + 1
redis.call('XADD', KEYS[1], '*', 'n', n, 'd', ARGV[1])
redis.call('HSET', KEYS[2], 'n', n, 'watermarkAt', whole(now), 'readAt', ARGV[2])
return 1
