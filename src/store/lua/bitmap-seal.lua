-- KEYS[1]  a bitmap shard
-- ARGV[1]  bytes the whole value must have
-- ARGV[2]  byte offset of the trailer, ARGV[3] the trailer
-- Returns  OK. Never creates the key: "ERR not found"
local length = redis.call('STRLEN', KEYS[1])
if length == 0 then return redis.error_reply('ERR not found') end
if length ~= tonumber(ARGV[1]) then return redis.error_reply('ERR wrong length') end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return redis.status_reply('OK')
