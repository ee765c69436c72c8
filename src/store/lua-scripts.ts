import { ORDER_SCRIPTS, type OrderScripts } from "./order-scripts";

/**
 * Lua scripts, registered on every client by ioredis' `scripts` option. A script is routed to the
 * node that owns its keys, which ioredis cannot do for module commands.
 * Scripts speak RESP2, so replies look the same whatever the connection speaks.
 */

/**
 * KEYS[1]  any key
 * ARGV     command name, then the command's arguments after the key (at most 4,000)
 * Returns  the command's own reply, or its own error
 */
const KEYED = `return redis.pcall(ARGV[1], KEYS[1], unpack(ARGV, 2))`;

/**
 * KEYS[1]  a RedisBloom filter
 * ARGV[1]  the sentinel item
 * Returns  {capacity, number of filters, items, 1 if the sentinel is in it}, or BF.INFO's error
 */
const BLOOM_PROBE = `
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
return {capacity, filters, items, redis.call('BF.EXISTS', KEYS[1], ARGV[1])}`;

/**
 * Makes an empty filter under the key by the server's own header, with another count of items.
 * KEYS[1]  a RedisBloom filter; whatever lies there is replaced
 * ARGV[1]  error rate, ARGV[2] capacity, ARGV[3] items (64 bits, little-endian)
 * ARGV[4]  bytes and bits that the filter must have (64 bits each), ARGV[5] bits per item (32 bits)
 * Returns  OK, or why this server can't; the key is gone then
 */
const BLOOM_LOAD = `
redis.call('UNLINK', KEYS[1])
local reserved = redis.pcall('BF.RESERVE', KEYS[1], ARGV[1], ARGV[2], 'NONSCALING')
if reserved.err then return reserved end
local dump = redis.pcall('BF.SCANDUMP', KEYS[1], 0)
redis.call('UNLINK', KEYS[1])
if dump.err then return dump end
local header = dump[2]
if #header ~= 73 or header:sub(21, 36) ~= ARGV[4] or header:sub(61, 64) ~= ARGV[5] then
  return redis.error_reply('ERR the server lays filters out in another way')
end
return redis.pcall('BF.LOADCHUNK', KEYS[1], 1, ARGV[3] .. header:sub(9, 36) .. ARGV[3] .. header:sub(45))`;

/**
 * KEYS[1]  a bitmap shard
 * ARGV[1]  bytes the whole value must have
 * ARGV[2]  bits set per item (k)
 * ARGV[3…] bit offsets, k for each item
 * Returns  for each item 1 if it set a bit, else 0. Never creates the key: "ERR not found"
 */
const BITMAP_ADD = `
local length = redis.call('STRLEN', KEYS[1])
if length == 0 then return redis.error_reply('ERR not found') end
if length ~= tonumber(ARGV[1]) then return redis.error_reply('ERR wrong length') end
local k, added = tonumber(ARGV[2]), {}
for first = 3, #ARGV, k do
  local changed = 0
  for i = first, first + k - 1 do
    if redis.call('SETBIT', KEYS[1], ARGV[i], 1) == 0 then changed = 1 end
  end
  added[#added + 1] = changed
end
return added`;

/**
 * KEYS[1]  a bitmap shard
 * ARGV[1]  bytes the whole value must have
 * Returns  1 if it was made, 0 if a value of that length was there. Replaces anything else
 */
const BITMAP_RESERVE = `
if redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('STRLEN', KEYS[1]) == tonumber(ARGV[1]) then
  return 0
end
redis.call('UNLINK', KEYS[1])
redis.call('SETRANGE', KEYS[1], tonumber(ARGV[1]) - 1, '\\0')
return 1`;

/**
 * KEYS[1]  a bitmap shard
 * ARGV[1]  bytes the whole value must have, ARGV[2] byte offset, ARGV[3] bytes to write there
 * Returns  OK. Offset 0 makes the value anew, zeros with no trailer; any other needs it: "ERR not found"
 */
const BITMAP_LOAD = `
if ARGV[2] == '0' then
  redis.call('UNLINK', KEYS[1])
  redis.call('SETRANGE', KEYS[1], tonumber(ARGV[1]) - 1, '\\0')
end
local length = redis.call('STRLEN', KEYS[1])
if length == 0 then return redis.error_reply('ERR not found') end
if length ~= tonumber(ARGV[1]) then return redis.error_reply('ERR wrong length') end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return redis.status_reply('OK')`;

/**
 * KEYS[1]  a bitmap shard
 * ARGV[1]  bytes the whole value must have
 * ARGV[2]  byte offset of the trailer, ARGV[3] the trailer
 * Returns  OK. Never creates the key: "ERR not found"
 */
const BITMAP_SEAL = `
local length = redis.call('STRLEN', KEYS[1])
if length == 0 then return redis.error_reply('ERR not found') end
if length ~= tonumber(ARGV[1]) then return redis.error_reply('ERR wrong length') end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[3])
return redis.status_reply('OK')`;

/**
 * KEYS[1]  the number of the last batch that came from this process; KEYS[2…] hashes
 * ARGV[1]  the number of this batch, ARGV[2…#KEYS] seconds to keep KEYS[2…]
 * ARGV[…]  groups of four: index into KEYS, "sum" or "max", field, value
 * Returns  1; 0 if the batch is there already, so that a flush of unknown fate can be sent again
 */
const ADD_ROLLUPS = `
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
return 1`;

/**
 * KEYS     hashes of whole numbers, a few hundred
 * ARGV     fields
 * Returns  per key the sum of these fields; nil where it has none of them
 */
const SUM_FIELDS = `
local sums = {}
for i = 1, #KEYS do
  local sum = false
  for _, value in ipairs(redis.call('HMGET', KEYS[i], unpack(ARGV))) do
    if value then sum = (sum or 0) + tonumber(value) end
  end
  sums[i] = sum
end
return sums`;

/**
 * KEYS[1]  the filter pointer
 * ARGV[1]  its JSON, ARGV[2] its revision, ARGV[3] "force" to replace a newer one
 * Returns  the JSON that is stored now: the one given, unless one of a higher revision is there
 */
const SET_POINTER = `
local known = redis.pcall('GET', KEYS[1])
local revision = -1
if type(known) == 'string' then
  local ok, pointer = pcall(cjson.decode, known)
  if ok and type(pointer) == 'table' and type(pointer.revision) == 'number' then revision = pointer.revision end
end
if revision > tonumber(ARGV[2]) and ARGV[3] ~= 'force' then return known end
redis.call('SET', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[1])`;

export const SCRIPTS = {
  keyed: { lua: KEYED, numberOfKeys: 1 },
  bloomProbe: { lua: BLOOM_PROBE, numberOfKeys: 1 },
  bloomLoad: { lua: BLOOM_LOAD, numberOfKeys: 1 },
  bitmapAdd: { lua: BITMAP_ADD, numberOfKeys: 1 },
  bitmapReserve: { lua: BITMAP_RESERVE, numberOfKeys: 1 },
  bitmapLoad: { lua: BITMAP_LOAD, numberOfKeys: 1 },
  bitmapSeal: { lua: BITMAP_SEAL, numberOfKeys: 1 },
  setPointer: { lua: SET_POINTER, numberOfKeys: 1 },
  addRollups: { lua: ADD_ROLLUPS },
  sumFields: { lua: SUM_FIELDS },
  ...ORDER_SCRIPTS,
};

type Argument = string | number | Buffer;

/** What SCRIPTS add to a client. Replies are unknown on purpose: callers check their shape. */
export type ScriptedRedis = OrderScripts & {
  keyed(key: string, command: string, ...args: Argument[]): Promise<unknown>;
  bloomProbe(key: string, sentinel: string): Promise<unknown>;
  bloomLoad(key: string, ...args: Argument[]): Promise<unknown>;
  bitmapAdd(key: string, ...args: Argument[]): Promise<unknown>;
  bitmapReserve(key: string, totalBytes: number): Promise<unknown>;
  bitmapLoad(key: string, totalBytes: number, offset: number, bytes: Buffer): Promise<unknown>;
  bitmapSeal(key: string, totalBytes: number, offset: number, trailer: Buffer): Promise<unknown>;
  setPointer(key: string, json: string, revision: number, force: "force" | ""): Promise<unknown>;
  addRollups(keyCount: number, ...keysAndArguments: Argument[]): Promise<unknown>;
  sumFields(keyCount: number, ...keysAndFields: Argument[]): Promise<unknown>;
};
