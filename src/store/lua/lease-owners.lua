-- KEYS[1]  leases of one kind of worker, as lease-partitions.lua writes them
-- ARGV[1]  number of partitions
-- Returns  {1 if any worker has ever leased, number of workers, partition without an owner, …}
-- include: now.lua
local count = tonumber(ARGV[1])
local known = redis.call('HMGET', KEYS[1], 'at', 'clock')
local clock = known[2] and tonumber(known[2]) + math.max(0, now - tonumber(known[1])) or now
local members, owned, all = 0, {}, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if string.sub(field, 1, 2) == 'm:' and tonumber(value) >= clock then members = members + 1 end
  if string.sub(field, 1, 2) == 'p:' then
    local untilUs, owner = string.match(value, '^%d+ (%d+) (.*)$')
    owned[tonumber(string.sub(field, 3))] = owner ~= '' and tonumber(untilUs) >= clock
  end
end
local reply = {#all > 0 and 1 or 0, members}
for p = 0, count - 1 do
  if not owned[p] then reply[#reply + 1] = p end
end
return reply
