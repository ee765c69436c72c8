-- KEYS[…]  ordered stream and head of a symbol, and the stream that takes the first one's place; it may be missing
-- ARGV[…]  the head's position as it was read, the position and the stamp of its last order from now on, and the
--          position up to which the engine has stored its state
-- Returns  1; 0 when the aggregator has written since: nothing is changed
if tonumber(redis.call('HGET', KEYS[2], 'position') or 0) ~= tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('RENAME', KEYS[3], KEYS[1])
  redis.call('PERSIST', KEYS[1])
end
redis.call('HSET', KEYS[2], 'position', ARGV[2], 'last', ARGV[3], 'passed', ARGV[4])
return 1
