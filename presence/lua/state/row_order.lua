-- Piece: the order of lists: newest first, of equal times the greatest name. A row is {ms, name}.
-- Compares bytes, like sorted sets; `<` on strings would follow the server's locale.
local function below(a, b)
  for i = 1, math.min(#a, #b) do
    if string.byte(a, i) ~= string.byte(b, i) then return string.byte(a, i) < string.byte(b, i) end
  end
  return #a < #b
end

local function newer(one, other)
  return one[1] > other[1] or one[1] == other[1] and below(other[2], one[2])
end
