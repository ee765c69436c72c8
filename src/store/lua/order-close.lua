-- KEYS[…]  stream, meta of a shard
-- ARGV[1]  the record that says that it is the last one
-- Returns  1; 0 if the shard was closed before
if redis.call('HEXISTS', KEYS[2], 'closed') == 1 then return 0 end
local n = redis.call('HINCRBY', KEYS[2], 'n', 1)
redis.call('XADD', KEYS[1], '*', 'n', n, 'd', ARGV[1])
redis.call('HSET', KEYS[2], 'closed', 1)
return 1
