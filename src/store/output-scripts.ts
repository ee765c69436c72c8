/** Lua scripts of what comes out of the aggregators: the ordered streams, checkpoints, and what was set aside. */

/**
 * KEYS     head of a symbol
 * ARGV     epoch of the lease
 * Returns  {position, last stamp, frontier, passed by the engine}; -1 if a later epoch has been here.
 *          From here on writers of earlier epochs are refused.
 */
const OUTPUT_CLAIM = `
local epoch = tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0)
if epoch > tonumber(ARGV[1]) then return -1 end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1])
return redis.call('HMGET', KEYS[1], 'position', 'last', 'frontier', 'passed')`;

/**
 * KEYS     ordered stream and head of a symbol
 * ARGV     epoch, position before, last stamp, frontier, then per frame the position of its last order
 *          and the bytes. An entry holds them as d, and the time in ms as t
 * Returns  what the engine has passed, ""; -1 fenced by a later epoch; -2 the position is another one
 */
const OUTPUT_WRITE = `
local head = redis.call('HMGET', KEYS[2], 'epoch', 'position', 'passed')
if tonumber(head[1] or 0) > tonumber(ARGV[1]) then return -1 end
if tonumber(head[2] or 0) ~= tonumber(ARGV[2]) then return -2 end
local time = redis.call('TIME')
local ms = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
for i = 5, #ARGV, 2 do redis.call('XADD', KEYS[1], ARGV[i] .. '-0', 'd', ARGV[i + 1], 't', ms) end
redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'position', ARGV[#ARGV - 1], 'last', ARGV[3], 'frontier', ARGV[4])
return head[3] or ''`;

/**
 * KEYS     ordered stream and head of a symbol
 * ARGV     the position up to which the engine has stored its state, the one up to which nothing is kept
 * Returns  1. Only whole blocks of the stream are trimmed
 */
const OUTPUT_PASSED = `
if tonumber(redis.call('HGET', KEYS[2], 'passed') or 0) >= tonumber(ARGV[1]) then return 1 end
redis.call('HSET', KEYS[2], 'passed', ARGV[1])
redis.call('XTRIM', KEYS[1], 'MINID', '~', (tonumber(ARGV[2]) + 1) .. '-0')
return 1`;

/**
 * KEYS     checkpoint of a partition
 * ARGV     epoch, then shard and position in turn
 * Returns  1; 0 if a later epoch has written
 */
const CHECKPOINT_WRITE = `
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0) > tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], unpack(ARGV, 2))
return 1`;

/**
 * KEYS     side stream, then a sorted set of the ids of what is in it
 * ARGV     how many entries and ids to keep, now (ms), then per entry: an id that tells repeats, reason, JSON, and
 *          the record in base64 ("" if it is not kept)
 * Returns  how many were new
 */
const SIDE_ADD = `
local added = 0
for i = 3, #ARGV, 4 do
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[i]) == 1 then
    added = added + 1
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'reason', ARGV[i + 1], 'event', ARGV[i + 2],
      'record', ARGV[i + 3])
  end
end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[1]))
return added`;

export const OUTPUT_SCRIPTS = {
  outputClaim: { lua: OUTPUT_CLAIM, numberOfKeys: 1 },
  outputWrite: { lua: OUTPUT_WRITE, numberOfKeys: 2 },
  outputPassed: { lua: OUTPUT_PASSED, numberOfKeys: 2 },
  checkpointWrite: { lua: CHECKPOINT_WRITE, numberOfKeys: 1 },
  deadLetterAdd: { lua: SIDE_ADD, numberOfKeys: 2 },
};
