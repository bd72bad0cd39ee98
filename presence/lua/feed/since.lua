-- Job: the announcements after the nth.
-- KEYS: meta[, stream; without it none can be read]. ARGV: epoch, n, limit.
-- Returns {epoch, n, 1 if nothing between is missing, then each announcement's JSON}.
local now = now_ms()
local epoch = epoch_of(KEYS[1], KEYS[2], now)
local last, after = tonumber(redis.call('HGET', KEYS[1], 'n') or 0), tonumber(ARGV[2])
local answer = {epoch, last, 1}
if not KEYS[2] or epoch ~= ARGV[1] or after > last or last - after > tonumber(ARGV[3]) then
  answer[3] = 0
  return answer
end
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], (after + 1) .. '-0', '+')) do
  answer[#answer + 1] = entry[2][2]
end
if #answer - 3 ~= last - after then return {epoch, last, 0} end
return answer
