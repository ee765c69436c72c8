-- Included by scripts of the registry: highest() is the highest stamp that a reader may have used as a watermark.
-- KEYS[1]  the registry; a field "p:<producer>" holds "<through> <seen> <map version> <incarnation> <JSON of
--          exceptions>", and `floor` is never below the `through` of a producer that has published or left
-- A new producer starts above `floor` and every `through`, so none of its stamps can be late, at any clock.
local function highest()
  local top = tonumber(redis.call('HGET', KEYS[1], 'floor') or 0)
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'p:' then
      top = math.max(top, tonumber(string.match(all[i + 1], '^%d+')))
    end
  end
  return top
end
