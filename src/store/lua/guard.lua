-- Stands before every script that writes, which does not see the last key and the last argument.
-- KEYS[last]  the owner's mark of this hash tag: "<epoch> <installation> <database>"
-- ARGV[last]  the caller's mark, or nothing: not guarded
-- Error OTHEROWNER: the mark names another owner, of the caller's epoch or a later one, or it is no mark
do
  local key, caller = table.remove(KEYS), table.remove(ARGV)
  local held = caller ~= '' and redis.pcall('GET', key)
  if caller ~= '' and held ~= caller then
    if type(held) == 'table' then held = 'of another type' end
    local epoch, owner = string.match(held or '0 ', '^(%d+) (.*)$')
    local mine, me = string.match(caller, '^(%d+) (.*)$')
    if not epoch or (owner ~= me and tonumber(epoch) >= tonumber(mine)) then
      return redis.error_reply('OTHEROWNER ' .. held)
    end
    if tonumber(epoch) < tonumber(mine) then redis.call('SET', key, caller) end
  end
end
