-- KEYS[1]  the number of the last batch that came from this process; KEYS[2…] hashes
-- ARGV[1]  the number of this batch, ARGV[2…#KEYS] seconds to keep KEYS[2…]
-- ARGV[…]  groups of four: index into KEYS, "sum" or "max", field, value
-- Returns  1; 0 if the batch is there already, so that a flush of unknown fate can be sent again
if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', 86400)
for i = #KEYS + 1, #ARGV, 4 do
  local key, field, value = KEYS[tonumber(ARGV[i])], ARGV[i + 2], ARGV[i + 3]
  if ARGV[i + 1] == 'sum' then
    redis.call('HINCRBY', key, field, value)
  else
    local known = redis.call('HGET', key, field)
    if not known or tonumber(known) < tonumber(value) then redis.call('HSET', key, field, value) end
  end
end
for i = 2, #KEYS do redis.call('EXPIRE', KEYS[i], ARGV[i]) end
return 1
