-- KEYS[1]  leases of one kind of worker: "m:<worker>" its end, "p:<partition>" "<epoch> <end> <owner>", and
--          "clock" and "at": the leases' own clock (µs), and what this server's clock was then
-- ARGV[…]  worker, how long a lease lasts (µs), number of partitions, 1 to give back all, then per partition
--          an epoch that its lease must be above
-- Returns  {partition, epoch, 1 if it was claimed now, …} of all that the worker holds now: renewed, claimed,
--          and given back above its fair number. A partition's epoch rises each time its owner changes
-- Ends are times of the leases' clock, which never goes back and passes at most half a lease between two calls
-- of workers that run. So a step of the server's clock ends no lease early, and prolongs none.
-- include: now.lua
local me, ttl, count, leaving = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local known = redis.call('HMGET', KEYS[1], 'at', 'clock', 'm:' .. me)
local passed = math.max(0, now - tonumber(known[1] or now))
if known[3] then passed = math.min(passed, math.floor(ttl / 2)) end
local clock = known[2] and tonumber(known[2]) + passed or now
redis.call('HSET', KEYS[1], 'at', whole(now), 'clock', whole(clock))
if leaving then redis.call('HDEL', KEYS[1], 'm:' .. me) else redis.call('HSET', KEYS[1], 'm:' .. me, whole(clock + ttl)) end
local members, leases, all = 0, {}, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if string.sub(field, 1, 2) == 'm:' then
    local untilUs = tonumber(value)
    if untilUs > clock + ttl then redis.call('HSET', KEYS[1], field, whole(clock + ttl)) end
    if untilUs < clock then redis.call('HDEL', KEYS[1], field) else members = members + 1 end
  end
  if string.sub(field, 1, 2) == 'p:' then
    local epoch, untilUs, owner = string.match(value, '^(%d+) (%d+) (.*)$')
    leases[tonumber(string.sub(field, 3))] = {epoch = tonumber(epoch), untilUs = tonumber(untilUs), owner = owner}
  end
end
local fair = leaving and 0 or math.ceil(count / math.max(members, 1))
local mine, held, free = {}, 0, {}
local function write(p, epoch, untilUs, owner)
  redis.call('HSET', KEYS[1], 'p:' .. p, whole(epoch) .. ' ' .. whole(untilUs) .. ' ' .. owner)
end
local function keep(p, epoch, claimed)
  held = held + 1
  write(p, epoch, clock + ttl, me)
  for _, value in ipairs({p, epoch, claimed}) do mine[#mine + 1] = value end
end
for p = 0, count - 1 do
  local lease = leases[p] or {epoch = 0, untilUs = 0, owner = ''}
  local above = tonumber(ARGV[5 + p] or 0)
  local lasts = lease.untilUs >= clock
  if lasts and lease.owner == me and held < fair then
    if lease.epoch > above then keep(p, lease.epoch, 0) else keep(p, above + 1, 1) end
  elseif lasts and lease.owner == me then
    write(p, lease.epoch, 0, '')
  elseif lasts then
    if lease.untilUs > clock + ttl then write(p, lease.epoch, clock + ttl, lease.owner) end
  else
    free[#free + 1] = {p, math.max(lease.epoch, above) + 1}
  end
end
for _, lease in ipairs(free) do
  if held >= fair then break end
  keep(lease[1], lease[2], 1)
end
return mine
