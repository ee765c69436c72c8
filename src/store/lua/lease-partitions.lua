-- KEYS[1]  leases of one kind of worker: "m:<worker>" its end, "p:<partition>" "<epoch> <end> <owner>"
-- ARGV[…]  worker, how long a lease lasts (µs), number of partitions, 1 to give back all
-- Returns  {partition, epoch, …} of all that the worker holds now: renewed, claimed, and given back above
--          its fair number. A partition's epoch rises each time its owner changes
-- include: now.lua
local me, ttl, count, leaving = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
if leaving then redis.call('HDEL', KEYS[1], 'm:' .. me) else redis.call('HSET', KEYS[1], 'm:' .. me, whole(now + ttl)) end
local members, holders, all = 0, {}, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if string.sub(field, 1, 2) == 'm:' then
    if tonumber(value) < now then redis.call('HDEL', KEYS[1], field) else members = members + 1 end
  end
  if string.sub(field, 1, 2) == 'p:' then holders[tonumber(string.sub(field, 3))] = value end
end
local fair = leaving and 0 or math.ceil(count / math.max(members, 1))
local mine, held, free = {}, 0, {}
for p = 0, count - 1 do
  local epoch, untilUs, owner = string.match(holders[p] or '0 0 ', '^(%d+) (%d+) (.*)$')
  if owner == me and tonumber(untilUs) >= now and held < fair then
    held = held + 1
    mine[#mine + 1] = p
    mine[#mine + 1] = tonumber(epoch)
    redis.call('HSET', KEYS[1], 'p:' .. p, epoch .. ' ' .. whole(now + ttl) .. ' ' .. me)
  elseif owner == me and tonumber(untilUs) >= now then
    redis.call('HSET', KEYS[1], 'p:' .. p, epoch .. ' 0 ')
  elseif tonumber(untilUs) < now then
    free[#free + 1] = {p, tonumber(epoch)}
  end
end
for _, lease in ipairs(free) do
  if held >= fair then break end
  held = held + 1
  local epoch = lease[2] + 1
  redis.call('HSET', KEYS[1], 'p:' .. lease[1], whole(epoch) .. ' ' .. whole(now + ttl) .. ' ' .. me)
  mine[#mine + 1] = lease[1]
  mine[#mine + 1] = epoch
end
return mine
