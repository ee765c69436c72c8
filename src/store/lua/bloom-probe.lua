-- KEYS[1]  a RedisBloom filter
-- ARGV[1]  the sentinel item
-- Returns  {capacity, number of filters, items, 1 if the sentinel is in it}, or BF.INFO's error
local info = redis.pcall('BF.INFO', KEYS[1])
if info.err then return info end
local capacity, filters, items = -1, -1, -1
for i = 1, #info, 2 do
  local name = info[i]
  if type(name) == 'table' then name = name.ok end
  if name == 'Capacity' then capacity = info[i + 1] end
  if name == 'Number of filters' then filters = info[i + 1] end
  if name == 'Number of items inserted' then items = info[i + 1] end
end
return {capacity, filters, items, redis.call('BF.EXISTS', KEYS[1], ARGV[1])}
