import { OUTPUT_SCRIPTS } from "./output-scripts";
import { WATERMARK_SCRIPTS } from "./watermark-scripts";

/**
 * Lua scripts of the order log. Times are the server's own, in microseconds: every process of ours
 * takes its clock from there. Numbers of that size are written with %.0f, since Lua would round them.
 */

const NOW = `
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function whole(x) return string.format('%.0f', x) end`;

/**
 * KEYS     stream, meta, producers of a shard
 * ARGV     producer, its incarnation, number of the first record, bytes/s, records/s (0: no limit), then
 *          per record the bytes it counts, and the record
 * Returns  {outcome, number of the last record that is durable, µs until there is room again}
 * A record whose number is not above the last one is there already and counts as taken. The first one
 * that meets a limit ends the call, so what is taken is a prefix. A bucket holds one second.
 * A producer's field is "<F once it is fenced><last number> <incarnation>"; * is anybody's.
 */
const ORDER_APPEND = `${NOW}
local p, incarnation, first = ARGV[1], ARGV[2], tonumber(ARGV[3])
local bytesPerS, recordsPerS = tonumber(ARGV[4]), tonumber(ARGV[5])
local state = redis.call('HMGET', KEYS[3], p, 'min')
local fenced, digits, owner = string.match(state[1] or '0 *', '^(F?)(%d+) ?(.*)$')
local last = tonumber(digits)
if owner ~= '*' and owner ~= incarnation then return {'fenced', 0, 0} end
if fenced == 'F' then return {'fenced', last, 0} end
if not state[1] and state[2] and tonumber(p) < tonumber(state[2]) then return {'forgotten', 0, 0} end
local meta = redis.call('HMGET', KEYS[2], 'closed', 'n', 'at', 'bytes', 'records')
if meta[1] then return {'closed', last, 0} end
local n = tonumber(meta[2] or 0)
local since = math.max(0, now - tonumber(meta[3] or 0))
local bytes = math.min(bytesPerS, tonumber(meta[4] or 0) + since * bytesPerS / 1000000)
local records = math.min(recordsPerS, tonumber(meta[5] or 0) + since * recordsPerS / 1000000)
local outcome, waitUs, number = 'ok', 0, first
for i = 6, #ARGV, 2 do
  if number > last then
    local size = tonumber(ARGV[i])
    local wait = 0
    local need = math.min(size, bytesPerS)
    if bytesPerS > 0 and bytes < need then wait = (need - bytes) * 1000000 / bytesPerS end
    if recordsPerS > 0 and records < 1 then wait = math.max(wait, (1 - records) * 1000000 / recordsPerS) end
    if wait > 0 then outcome, waitUs = 'throttled', math.ceil(wait) break end
    bytes, records, n = bytes - size, records - 1, n + 1
    redis.call('XADD', KEYS[1], '*', 'n', n, 'd', ARGV[i + 1])
    last = number
  end
  number = number + 1
end
redis.call('HSET', KEYS[2], 'n', n, 'at', whole(now), 'bytes', bytes, 'records', records)
redis.call('HSET', KEYS[3], p, last .. ' ' .. incarnation)
return {outcome, last, waitUs}`;

/**
 * KEYS     stream, meta of a shard
 * ARGV     the watermark, when its watermarks were read, µs that must lie between two watermarks
 * Returns  1, or 0 if a newer one is there or the shard is closed
 */
const ORDER_WATERMARK = `${NOW}
local meta = redis.call('HMGET', KEYS[2], 'closed', 'n', 'watermarkAt', 'readAt')
if meta[1] or now - tonumber(meta[3] or 0) < tonumber(ARGV[3]) or tonumber(ARGV[2]) <= tonumber(meta[4] or 0) then
  return 0
end
local n = tonumber(meta[2] or 0) + 1
redis.call('XADD', KEYS[1], '*', 'n', n, 'd', ARGV[1])
redis.call('HSET', KEYS[2], 'n', n, 'watermarkAt', whole(now), 'readAt', ARGV[2])
return 1`;

/**
 * KEYS     producers of a shard
 * ARGV     producer
 * Returns  1
 */
const ORDER_FENCE = `
local known = redis.call('HGET', KEYS[1], ARGV[1]) or '0 *'
if string.sub(known, 1, 1) ~= 'F' then redis.call('HSET', KEYS[1], ARGV[1], 'F' .. known) end
return 1`;

/**
 * KEYS     producers of a shard
 * ARGV     how many of the newest numbers to remember, the newest number, those that are alive
 * Returns  how many were forgotten. Lower numbers without a field are refused from now on, so those that
 *          are alive get one. Does nothing before there is twice as much as must be remembered
 */
const ORDER_FORGET = `
if redis.call('HLEN', KEYS[1]) <= 2 * tonumber(ARGV[1]) then return 0 end
local min = tonumber(ARGV[2]) - tonumber(ARGV[1])
if min <= tonumber(redis.call('HGET', KEYS[1], 'min') or 0) then return 0 end
local alive, gone = {min = true}, 0
for i = 3, #ARGV do
  alive[ARGV[i]] = true
  redis.call('HSETNX', KEYS[1], ARGV[i], '0 *')
end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not alive[field] and tonumber(field) < min then
    redis.call('HDEL', KEYS[1], field)
    gone = gone + 1
  end
end
redis.call('HSET', KEYS[1], 'min', min)
return gone`;

/**
 * KEYS     stream, meta of a shard
 * ARGV     the record that says that it is the last one
 * Returns  1; 0 if the shard was closed before
 */
const ORDER_CLOSE = `
if redis.call('HEXISTS', KEYS[2], 'closed') == 1 then return 0 end
local n = redis.call('HINCRBY', KEYS[2], 'n', 1)
redis.call('XADD', KEYS[1], '*', 'n', n, 'd', ARGV[1])
redis.call('HSET', KEYS[2], 'closed', 1)
return 1`;

/**
 * The registry: field "p:<producer>" holds "<through> <seen> <map version> <JSON of exceptions>".
 * No watermark that a reader may have used is above `floor` or one of these; a new producer starts
 * above all of them, so nothing it stamps can be too late, whatever its clock says.
 */
const REGISTRY = `${NOW}
local function highest()
  local top = tonumber(redis.call('HGET', KEYS[1], 'floor') or 0)
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'p:' then
      top = math.max(top, tonumber(string.match(all[i + 1], '^%d+')))
    end
  end
  return top
end`;

/** KEYS registry. ARGV map version. Returns {producer's number, stamp to start above, now} */
const REGISTRY_JOIN = `${REGISTRY}
local start = math.max(now, highest())
local number = redis.call('HINCRBY', KEYS[1], 'next', 1)
redis.call('HSET', KEYS[1], 'p:' .. number, whole(start) .. ' ' .. whole(now) .. ' ' .. ARGV[1] .. ' {}')
return {number, whole(start), whole(now)}`;

/**
 * KEYS registry, paused symbols. ARGV producer, through, map version, exceptions
 * Returns {1, now, {paused symbol, until (ms), …}}; {0} when the producer is not in the registry any more
 */
const REGISTRY_PUBLISH = `${NOW}
local known = redis.call('HGET', KEYS[1], 'p:' .. ARGV[1])
if not known then return {0} end
-- A repeat that was delayed must not take back what a later one has claimed.
if tonumber(string.match(known, '^%d+')) <= tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'p:' .. ARGV[1], ARGV[2] .. ' ' .. whole(now) .. ' ' .. ARGV[3] .. ' ' .. ARGV[4])
end
if tonumber(redis.call('HGET', KEYS[1], 'map') or 0) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'map', ARGV[3])
end
return {1, whole(now), redis.call('HGETALL', KEYS[2])}`;

/**
 * KEYS registry. ARGV producer, and for a fence when it was seen last: it stays if it has been seen since
 * Returns 1 if it is gone. The floor rises to the highest watermark, its own included
 */
const REGISTRY_LEAVE = `${REGISTRY}
local known = redis.call('HGET', KEYS[1], 'p:' .. ARGV[1])
if not known then return 1 end
if ARGV[2] and string.match(known, '^%d+ (%d+)') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'floor', whole(highest()))
redis.call('HDEL', KEYS[1], 'p:' .. ARGV[1])
return 1`;

/**
 * KEYS registry. ARGV µs that a producer without watermarks may lag behind the clock
 * Returns {now, floor, everything in the registry}
 * While nobody has joined, the clock is the watermark. It is made the floor first, so that a producer
 * who joins starts above it.
 */
const REGISTRY_VIEW = `${NOW}
local all, joined = redis.call('HGETALL', KEYS[1]), false
local floor, unregistered = 0, 0
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 2) == 'p:' then joined = true end
  if all[i] == 'floor' then floor = tonumber(all[i + 1]) end
  if all[i] == 'unregistered' then unregistered = tonumber(all[i + 1]) end
end
local clock = now
if now - unregistered < 600000000 then clock = now - tonumber(ARGV[1]) end
if not joined and clock > floor then
  floor = clock
  redis.call('HSET', KEYS[1], 'floor', whole(floor))
end
return {whole(now), whole(floor), all}`;

/**
 * KEYS leases of one kind of worker
 * ARGV     owner, how long a lease lasts (µs), number of partitions, 1 to hold none any more
 * Returns  {partition, epoch, …} of all that the owner holds now: renewed, claimed, and given back
 *          above its fair share. A partition's epoch rises each time it changes hands.
 */
const LEASE_PARTITIONS = `${NOW}
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
return mine`;

/** KEYS a string. ARGV what it must be, what it becomes. Returns 1, or 0 if it is something else. */
const REPLACE_IF_SAME = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

export const ORDER_SCRIPTS = {
  replaceIfSame: { lua: REPLACE_IF_SAME, numberOfKeys: 1 },
  orderAppend: { lua: ORDER_APPEND, numberOfKeys: 3 },
  orderWatermark: { lua: ORDER_WATERMARK, numberOfKeys: 2 },
  orderFence: { lua: ORDER_FENCE, numberOfKeys: 1 },
  orderForget: { lua: ORDER_FORGET, numberOfKeys: 1 },
  orderClose: { lua: ORDER_CLOSE, numberOfKeys: 2 },
  registryJoin: { lua: REGISTRY_JOIN, numberOfKeys: 1 },
  registryPublish: { lua: REGISTRY_PUBLISH, numberOfKeys: 2 },
  registryLeave: { lua: REGISTRY_LEAVE, numberOfKeys: 1 },
  registryView: { lua: REGISTRY_VIEW, numberOfKeys: 1 },
  leasePartitions: { lua: LEASE_PARTITIONS, numberOfKeys: 1 },
  ...WATERMARK_SCRIPTS,
  ...OUTPUT_SCRIPTS,
};

type Argument = string | number | Buffer;

/** What ORDER_SCRIPTS add to a client. Replies are unknown on purpose: callers check their shape. */
export type OrderScripts = {
  [Name in keyof typeof ORDER_SCRIPTS]: (...keysAndArguments: Argument[]) => Promise<unknown>;
};
