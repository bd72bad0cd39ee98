-- Job: a page of one set of last seen, newest first (equal times: greatest name first).
-- KEYS: the set. ARGV: oldest ms, newest ms, limit, what names begin with, most rows to look at,
-- then, to go on after a row: its ms, its name.
-- Returns {name and ms of the last row looked at if it stopped there, else '' and '', name, ms, …}.
local from, to, limit, prefix = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local most, after_ms, after = tonumber(ARGV[5]), ARGV[6], ARGV[7]
local answer, offset, CHUNK = {'', ''}, 0, 200

-- By bytes, as sorted sets order; `<` on strings would follow the server's locale.
local function below(a, b)
  for i = 1, math.min(#a, #b) do
    if string.byte(a, i) ~= string.byte(b, i) then return string.byte(a, i) < string.byte(b, i) end
  end
  return #a < #b
end

if after_ms then to = after_ms end
repeat
  local rows = redis.call('ZREVRANGEBYSCORE', KEYS[1], to, from, 'WITHSCORES', 'LIMIT', offset, CHUNK)
  for i = 1, #rows, 2 do
    local passed = after_ms and rows[i + 1] == after_ms and not below(rows[i], after)
    if not passed and string.sub(rows[i], 1, #prefix) == prefix then
      answer[#answer + 1], answer[#answer + 2] = rows[i], rows[i + 1]
      if #answer == 2 * limit + 2 then return answer end
    end
  end
  offset = offset + CHUNK
  if #rows == 2 * CHUNK and offset >= most then
    answer[1], answer[2] = rows[#rows - 1], rows[#rows]
    return answer
  end
until #rows < 2 * CHUNK
return answer
