/**
 * KEYS     whose turn it is to beat, of a log that keeps no such thing itself: a hash per log
 * ARGV     µs that must lie between two beats of a shard, then per shard its id and when the beat's
 *          watermarks were read (µs)
 * Returns  per shard 1, or 0 if a newer beat was written or one is too young
 * A turn that was given is not given back: if its beat gets lost, the next one comes soon.
 */
const BEAT_TURNS = `
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local turns = {}
for i = 2, #ARGV, 2 do
  local known = redis.call('HGET', KEYS[1], ARGV[i])
  local at, readAt = string.match(known or '0 0', '^(%d+) (%d+)$')
  if now - tonumber(at) < tonumber(ARGV[1]) or tonumber(ARGV[i + 1]) <= tonumber(readAt) then
    turns[#turns + 1] = 0
  else
    turns[#turns + 1] = 1
    redis.call('HSET', KEYS[1], ARGV[i], string.format('%.0f', now) .. ' ' .. ARGV[i + 1])
  end
end
return turns`;

export const BEAT_SCRIPTS = { beatTurns: { lua: BEAT_TURNS, numberOfKeys: 1 } };
