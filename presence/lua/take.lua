-- Piece: settings come from elsewhere as a whole, with a revision; a later one is never undone.
-- Revision 0 means "never set anything" and leaves no row.
local function take_settings(person, body, now)
  local given = cjson.decode(body)
  local held = redis.call('HGET', SETTINGS, person)
  if held then
    local known = cjson.decode(held)
    if (known.r or 0) >= (given.r or 0) then return known end
  end
  if (given.r or 0) > 0 then
    redis.call('HSET', SETTINGS, person, body)
    schedule(person, given, now)
  end
  return given
end
