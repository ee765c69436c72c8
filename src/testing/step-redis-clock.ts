import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { leasesKey, registryKey, shardMetaKey, watermarkTurnsKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

/**
 * KEYS: registry, turns, the two leases, then the shards' hashes. ARGV[1]: the step. Every stored time is moved
 * against it, all at once, as a step of the clock that Redis reads would leave them.
 */
const STEP = `
local by = tonumber(ARGV[1])
local function moved(text) return string.format('%.0f', tonumber(text) - by) end
local function each(key, change)
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local changed = change(all[i], all[i + 1])
    if changed then redis.call('HSET', key, all[i], changed) end
  end
end
each(KEYS[1], function(field, value)
  if field == 'floor' or field == 'unregistered' or field == 'readAt' then return moved(value) end
  if string.sub(field, 1, 2) ~= 'p:' then return nil end
  local through, seen, rest = string.match(value, '^(%S+) (%S+) (.*)$')
  return moved(through) .. ' ' .. moved(seen) .. ' ' .. rest
end)
each(KEYS[2], function(_, value) return (string.gsub(value, '%S+', moved)) end)
for i = 3, 4 do
  each(KEYS[i], function(field, value)
    if field == 'at' or string.sub(field, 1, 2) == 'm:' then return moved(value) end
    if string.sub(field, 1, 2) ~= 'p:' then return nil end
    local epoch, ending, owner = string.match(value, '^(%S+) (%S+) (.*)$')
    return epoch .. ' ' .. (ending == '0' and ending or moved(ending)) .. ' ' .. owner
  end)
end
for i = 5, #KEYS do
  each(KEYS[i], function(field, value)
    if field == 'watermarkAt' or field == 'readAt' or field == 'at' then return moved(value) end
  end)
end`;

/** Leaves the times of a log as a step of Redis' clock by `byUs` microseconds would. For a server alone. */
export async function stepRedisClock(redis: RedisClient, log: string, byUs: number): Promise<void> {
  const shards = await new RedisLog(redis, { log, limits: NO_LIMITS }).readableShards();
  const keys = [
    registryKey(log),
    watermarkTurnsKey(log),
    leasesKey(log, "aggregator"),
    leasesKey(log, "engine"),
    ...shards.map(id => shardMetaKey(log, id)),
  ];
  await redis.eval(STEP, keys.length, ...keys, byUs);
}
