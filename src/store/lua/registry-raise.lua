-- KEYS[1]  the registry
-- ARGV[…]  the highest stamp (µs) and the highest number of a producer that are remembered elsewhere
-- Returns  1. Producers that join from now on get higher ones
for i, field in ipairs({'floor', 'next'}) do
  if tonumber(redis.call('HGET', KEYS[1], field) or 0) < tonumber(ARGV[i]) then
    redis.call('HSET', KEYS[1], field, ARGV[i])
  end
end
return 1
