-- KEYS[1]  producers of a shard
-- ARGV[…]  how many of the newest numbers to remember, the newest number, those that are alive
-- Returns  how many were forgotten. Lower numbers without a field are refused from now on, so those that
--          are alive get one. Does nothing before there is twice as much as must be remembered
if redis.call('HLEN', KEYS[1]) <= 2 * tonumber(ARGV[1]) then return 0 end
local min = tonumber(ARGV[2]) - tonumber(ARGV[1])
if min <= tonumber(redis.call('HGET', KEYS[1], 'min') or 0) then return 0 end
local alive, gone = {min = true}, 0
for i = 3, #ARGV do
  alive[ARGV[i]] = true
  redis.call('HSETNX', KEYS[1], ARGV[i], '0 *')
end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not alive[field] and tonumber(field) < min then
    redis.call('HDEL', KEYS[1], field)
    gone = gone + 1
  end
end
redis.call('HSET', KEYS[1], 'min', min)
return gone
