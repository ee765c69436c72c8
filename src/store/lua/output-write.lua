-- KEYS[…]  ordered stream and head of a symbol
-- ARGV[…]  epoch, position before, last stamp, frontier, then per frame the position of its last order
--          and the bytes. An entry holds them as d, and the time in ms as t
-- Returns  what the engine has passed, ""; -1 fenced by a later epoch; -2 the position is another one
local head = redis.call('HMGET', KEYS[2], 'epoch', 'position', 'passed')
if tonumber(head[1] or 0) > tonumber(ARGV[1]) then return -1 end
if tonumber(head[2] or 0) ~= tonumber(ARGV[2]) then return -2 end
local time = redis.call('TIME')
local ms = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
for i = 5, #ARGV, 2 do redis.call('XADD', KEYS[1], ARGV[i] .. '-0', 'd', ARGV[i + 1], 't', ms) end
redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'position', ARGV[#ARGV - 1], 'last', ARGV[3], 'frontier', ARGV[4])
return head[3] or ''
