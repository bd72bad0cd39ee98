-- Piece: whole numbers as text, as all keys, scores and announcements have them.
-- '%d' takes half as long as '%.0f', but is for a C long, which some builds have with 32 bits.
local WHOLE = string.format('%d', 2 ^ 53) == '9007199254740992' and '%d' or '%.0f'
local function ms(number)
  return string.format(WHOLE, number)
end
