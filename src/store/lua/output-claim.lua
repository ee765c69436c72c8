-- KEYS[1]  head of a symbol
-- ARGV[1]  epoch of the lease
-- Returns  {position, last stamp, frontier, passed by the engine}; -1 if a later epoch has claimed it.
--          From now on writers of earlier epochs are refused
local epoch = tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0)
if epoch > tonumber(ARGV[1]) then return -1 end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1])
return redis.call('HMGET', KEYS[1], 'position', 'last', 'frontier', 'passed')
