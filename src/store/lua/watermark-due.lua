-- Included by scripts that write watermarks, after now.lua: due(at, view, interval, next) says whether a shard
-- takes the watermark of view `next` after one that was written at `at` from `view`. What lies further ahead
-- than 5 s is of a clock that has stepped back, or of a registry that was lost, and counts as none. An older
-- watermark that is taken for that reason claims less, and does no harm.
local function due(at, view, interval, next)
  local since = now - tonumber(at or 0)
  local ahead = tonumber(view or 0) - tonumber(next)
  return (since < 0 or since >= tonumber(interval)) and (ahead < 0 or ahead > 5000000)
end
