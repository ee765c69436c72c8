-- KEYS[…]  stream, meta of a shard
-- ARGV[…]  the watermark record, when its watermarks were read (µs), µs that must lie between two of them
-- Returns  1, or 0 if a newer one is there or the shard is closed
-- include: now.lua
local meta = redis.call('HMGET', KEYS[2], 'closed', 'n', 'watermarkAt', 'readAt')
if meta[1] or now - tonumber(meta[3] or 0) < tonumber(ARGV[3]) or tonumber(ARGV[2]) <= tonumber(meta[4] or 0) then
  return 0
end
local n = tonumber(meta[2] or 0) + 1
redis.call('XADD', KEYS[1], '*', 'n', n, 'd', ARGV[1])
redis.call('HSET', KEYS[2], 'n', n, 'watermarkAt', whole(now), 'readAt', ARGV[2])
return 1
