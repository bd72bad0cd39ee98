-- Piece: keeps new settings unless the held ones have the same or a later revision; returns those
-- in effect. Revision 0 means "never set anything" and is not kept.
local function take_settings(person, body, now)
  local new = cjson.decode(body)
  local held = redis.call('HGET', SETTINGS, person)
  if held then
    local known = cjson.decode(held)
    if (known.r or 0) >= (new.r or 0) then return known end
  end
  if (new.r or 0) > 0 then
    redis.call('HSET', SETTINGS, person, body)
    schedule(person, new, now)
  end
  return new
end
