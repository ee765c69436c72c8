-- KEYS[…]  stream, meta, producers of a shard
-- ARGV[…]  producer, its incarnation, number of the first record, bytes/s, records/s (0: no limit), then
--          per record the bytes it counts, and the record
-- Returns  {outcome, number of the last record that is durable, µs until there is room again}
-- A record whose number is not above the last one is durable already and counts as taken. The first record
-- that meets a limit ends the call, so what is taken is a prefix. A token bucket holds one second.
-- A producer's field is "<F once it is fenced><last number> <incarnation>"; incarnation * matches every one.
-- include: now.lua
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
return {outcome, last, waitUs}
