-- KEYS[1]  a bitmap shard
-- ARGV[1]  bytes the whole value must have, ARGV[2] byte offset, ARGV[3] bytes to write there
-- Returns  OK. Offset 0 makes a new value, zeros without a trailer; other offsets need one: "ERR not found"
if ARGV[2] == '0' then
  redis.call('UNLINK', KEYS[1])
  redis.call('SETRANGE', KEYS[1], tonumber(ARGV[1]) - 1, '\0')
end
local length = redis.call('STRLEN', KEYS[1])
if length == 0 then return redis.error_reply('ERR not found') end
if length ~= tonumber(ARGV[1]) then return redis.error_reply('ERR wrong length') end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return redis.status_reply('OK')
