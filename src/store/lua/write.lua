-- KEYS[1]  any key
-- ARGV     command name, then the command's arguments after the key (at most 4,000)
-- Returns  the command's own reply, or its own error
return redis.pcall(ARGV[1], KEYS[1], unpack(ARGV, 2))
