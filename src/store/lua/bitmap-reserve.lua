-- KEYS[1]  a bitmap shard
-- ARGV[1]  bytes the whole value must have
-- Returns  1 if it was made, 0 if a value of that length was there. Replaces anything else
if redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('STRLEN', KEYS[1]) == tonumber(ARGV[1]) then
  return 0
end
redis.call('UNLINK', KEYS[1])
redis.call('SETRANGE', KEYS[1], tonumber(ARGV[1]) - 1, '\0')
return 1
