-- Searches a part of a list for members that are not threads: not 12 digits.
-- KEYS[1]  a sort: member -> score
-- ARGV[1]  cursor, at first 0; ARGV[2]  approximate number of members to read
-- Returns the next cursor, 0 at the end, and {member, ...}.
local part = redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local found = {}
for at = 1, #part[2], 2 do
  local member = part[2][at]
  if #member ~= 12 or string.find(member, '%D') then found[#found + 1] = member end
end
return { part[1], found }
