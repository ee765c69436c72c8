-- Makes a filter without bits under the key, from the header that this server itself makes, with another
-- count of items.
-- KEYS[1]  a RedisBloom filter; an existing value is replaced
-- ARGV[1]  error rate, ARGV[2] capacity, ARGV[3] items (64 bits, little-endian)
-- ARGV[4]  bytes and bits that the filter must have (64 bits each), ARGV[5] bits per item (32 bits)
-- Returns  OK, or why this server can't; the key is missing then
redis.call('UNLINK', KEYS[1])
local reserved = redis.pcall('BF.RESERVE', KEYS[1], ARGV[1], ARGV[2], 'NONSCALING')
if reserved.err then return reserved end
local dump = redis.pcall('BF.SCANDUMP', KEYS[1], 0)
redis.call('UNLINK', KEYS[1])
if dump.err then return dump end
local header = dump[2]
if #header ~= 73 or header:sub(21, 36) ~= ARGV[4] or header:sub(61, 64) ~= ARGV[5] then
  return redis.error_reply('ERR the server lays filters out in another way')
end
return redis.pcall('BF.LOADCHUNK', KEYS[1], 1, ARGV[3] .. header:sub(9, 36) .. ARGV[3] .. header:sub(45))
