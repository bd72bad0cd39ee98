-- Piece: the settings of a person: {r: revision, v: visibility, l: 0 hides last seen,
-- c: [override], empty without one}; override: {s: status, t: text, a: activity,
-- x: ends ms, p: the override before it, in effect again when this one ends}.
local function alive(override, now)
  return override and (not override.x or override.x > now)
end

local function override_of(settings)
  return (settings.c or {})[1] or {}
end

local function in_effect(settings, now)
  local override = override_of(settings)
  return alive(override, now) and override or alive(override.p, now) and override.p or {}
end

local function schedule(person, settings, now)
  local override, first = override_of(settings), nil
  for _, one in ipairs({override, override.p}) do
    if one.x and one.x > now and (not first or one.x < first) then first = one.x end
  end
  if first then
    redis.call('ZADD', OVERRIDE_ENDS, ms(first), person)
    -- The sweepers (people/due.lua) know of the next due item before it.
    local next_due = tonumber(redis.call('HGET', META, 'next') or nil)
    if next_due and first < next_due then redis.call('HSET', META, 'next', ms(first)) end
  else
    redis.call('ZREM', OVERRIDE_ENDS, person)
  end
end
