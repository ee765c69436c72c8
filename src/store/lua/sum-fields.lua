-- KEYS     hashes of whole numbers, a few hundred
-- ARGV     fields
-- Returns  per key the sum of these fields; nil where it has none of them
local sums = {}
for i = 1, #KEYS do
  local sum = false
  for _, value in ipairs(redis.call('HMGET', KEYS[i], unpack(ARGV))) do
    if value then sum = (sum or 0) + tonumber(value) end
  end
  sums[i] = sum
end
return sums
