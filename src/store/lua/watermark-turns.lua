-- KEYS[1]  per log a hash of whose turn it is to write a watermark, for logs that can't keep it themselves
-- ARGV[1]  µs that must lie between two watermarks of a shard
-- ARGV[…]  per shard (at most 500) its id and the number of the view that its watermark is from
-- Returns  per shard 1, or 0 if a newer watermark was written or one is too young
-- A turn that was given is not given back: if its watermark gets lost, the next one comes soon.
-- include: now.lua
-- include: watermark-due.lua
local ids, turns, taken = {}, {}, {}
for i = 2, #ARGV, 2 do ids[#ids + 1] = ARGV[i] end
local all = redis.call('HMGET', KEYS[1], unpack(ids))
local mark = whole(now) .. ' '
for i, id in ipairs(ids) do
  local readAt = ARGV[i * 2 + 1]
  local at, before = string.match(all[i] or '0 0', '^(%d+) (%d+)$')
  if due(at, before, ARGV[1], readAt) then
    turns[i] = 1
    taken[#taken + 1] = id
    taken[#taken + 1] = mark .. readAt
  else
    turns[i] = 0
  end
end
if #taken > 0 then redis.call('HSET', KEYS[1], unpack(taken)) end
return turns
