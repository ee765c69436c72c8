-- KEYS[1]  paused symbols, each until when (µs)
-- ARGV[…]  for how long (µs), ms that the key is kept, then the symbols
-- Returns  1
-- include: now.lua
for i = 3, #ARGV do redis.call('HSET', KEYS[1], ARGV[i], whole(now + tonumber(ARGV[1]))) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
