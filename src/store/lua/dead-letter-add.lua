-- KEYS[…]  stream of dead letters, then a sorted set of the ids of what is in it
-- ARGV[…]  how many entries and ids to keep, now (ms), then per entry: an id that tells repeats, reason, JSON,
--          and the record in base64 ("" if it is not kept)
-- Returns  how many were new
local added = 0
for i = 3, #ARGV, 4 do
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[i]) == 1 then
    added = added + 1
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'reason', ARGV[i + 1], 'event', ARGV[i + 2],
      'record', ARGV[i + 3])
  end
end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[1]))
return added
