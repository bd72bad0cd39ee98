-- Piece: what a person has set. Settings: {r: revision, v: visibility, l: 0 hides last seen,
-- c: [override, …] highest level first}; override: {s: status, t: text, a: activity, x: ends ms,
-- p: the override before it, in effect again when this one ends}.
local function alive(override, now)
  return override and (not override.x or override.x > now)
end

-- Each field from the highest override in effect that sets it.
local function in_effect(settings, now)
  local found = {}
  for _, override in ipairs(settings.c or {}) do
    local held = alive(override, now) and override or alive(override.p, now) and override.p or {}
    found.s, found.t, found.a = found.s or held.s, found.t or held.t, found.a or held.a
  end
  return found
end

local function schedule(person, settings, now)
  local first
  for _, override in ipairs(settings.c or {}) do
    for _, one in ipairs({override, override.p}) do
      if one.x and one.x > now and (not first or one.x < first) then first = one.x end
    end
  end
  if first then
    redis.call('ZADD', OVERRIDE_ENDS, ms(first), person)
  else
    redis.call('ZREM', OVERRIDE_ENDS, person)
  end
end
