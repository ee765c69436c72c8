-- KEYS[1]  a bitmap shard
-- ARGV[1]  bytes the whole value must have
-- ARGV[2]  bits set per item (k)
-- ARGV[3…] bit offsets, k for each item
-- Returns  for each item 1 if it set a bit, else 0. Never creates the key: "ERR not found"
local length = redis.call('STRLEN', KEYS[1])
if length == 0 then return redis.error_reply('ERR not found') end
if length ~= tonumber(ARGV[1]) then return redis.error_reply('ERR wrong length') end
local k, added = tonumber(ARGV[2]), {}
for first = 3, #ARGV, k do
  local changed = 0
  for i = first, first + k - 1 do
    if redis.call('SETBIT', KEYS[1], ARGV[i], 1) == 0 then changed = 1 end
  end
  added[#added + 1] = changed
end
return added
