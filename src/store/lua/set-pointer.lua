-- KEYS[1]  the filter pointer
-- ARGV[1]  its JSON, ARGV[2] its revision, ARGV[3] "force" to replace a newer one
-- Returns  the JSON that is stored now: the one given, unless one of a higher revision is there
local known = redis.pcall('GET', KEYS[1])
local revision = -1
if type(known) == 'string' then
  local ok, pointer = pcall(cjson.decode, known)
  if ok and type(pointer) == 'table' and type(pointer.revision) == 'number' then revision = pointer.revision end
end
if revision > tonumber(ARGV[2]) and ARGV[3] ~= 'force' then return known end
redis.call('SET', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[1])
