-- Piece: whole numbers as text, the form in all keys, scores and announcements.
-- '%d' takes half as long as '%.0f', but uses a C long, which has only 32 bits in some builds.
local WHOLE = string.format('%d', 2 ^ 53) == '9007199254740992' and '%d' or '%.0f'
local function ms(number)
  return string.format(WHOLE, number)
end
