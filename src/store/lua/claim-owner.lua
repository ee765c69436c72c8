-- KEYS[1]  the owner's mark of the whole Redis
-- ARGV[1]  "<installation> <database>" of the caller; ARGV[2] the name of its database; ARGV[3] "take": also from another owner
-- Returns  the mark that is stored now: "<epoch> <installation> <database> <name>"
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then held = 'of another type' end
if held and ARGV[3] ~= 'take' then return held end
local epoch = tonumber(string.match(held or '0 ', '^(%d+) ') or 0) + 1
local mark = string.format('%d %s %s', epoch, ARGV[1], ARGV[2])
redis.call('SET', KEYS[1], mark)
return mark
