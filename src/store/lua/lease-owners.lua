-- KEYS[1]  leases of one kind of worker, as lease-partitions.lua writes them
-- ARGV[…]  number of partitions, the longest time (µs) that a lease may have left: one with more is not believed
-- Returns  {1 if any worker has ever leased, number of workers, partition without an owner, …}
-- include: now.lua
local count, longest = tonumber(ARGV[1]), tonumber(ARGV[2])
local function isLive(untilUs) return untilUs >= now and untilUs <= now + longest end
local members, owned, all = 0, {}, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if string.sub(field, 1, 2) == 'm:' and isLive(tonumber(value)) then members = members + 1 end
  if string.sub(field, 1, 2) == 'p:' then
    local untilUs, owner = string.match(value, '^%d+ (%d+) (.*)$')
    owned[tonumber(string.sub(field, 3))] = owner ~= '' and isLive(tonumber(untilUs))
  end
end
local reply = {#all > 0 and 1 or 0, members}
for p = 0, count - 1 do
  if not owned[p] then reply[#reply + 1] = p end
end
return reply
