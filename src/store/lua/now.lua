-- Included by scripts that need the time: `now` is this server's clock in µs, and whole(x) writes numbers
-- of that size, which Lua would round.
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function whole(x) return string.format('%.0f', x) end
