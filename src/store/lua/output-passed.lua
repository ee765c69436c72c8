-- KEYS[…]  ordered stream and head of a symbol
-- ARGV[…]  the position up to which the engine has stored its state, the one up to which nothing is kept
-- Returns  1. Only whole blocks of the stream are trimmed
if tonumber(redis.call('HGET', KEYS[2], 'passed') or 0) >= tonumber(ARGV[1]) then return 1 end
redis.call('HSET', KEYS[2], 'passed', ARGV[1])
redis.call('XTRIM', KEYS[1], 'MINID', '~', (tonumber(ARGV[2]) + 1) .. '-0')
return 1
