-- KEYS[1]  checkpoint of a partition
-- ARGV[…]  epoch, then shard and position in turn
-- Returns  1; 0 if a later epoch has written
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0) > tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], unpack(ARGV, 2))
return 1
