-- Piece: what a person has set. Settings: {r: revision, v: visibility, l: 0 hides last seen,
-- c: [claim, …] highest first}; claim: {s: status, t: text, a: activity, x: ends ms, p: the claim
-- before it, which comes back when this one ends}.
local function alive(claim, now)
  return claim and (not claim.x or claim.x > now)
end

-- Field by field the highest claim that still holds.
local function in_force(settings, now)
  local found = {}
  for _, claim in ipairs(settings.c or {}) do
    local held = alive(claim, now) and claim or alive(claim.p, now) and claim.p or {}
    found.s, found.t, found.a = found.s or held.s, found.t or held.t, found.a or held.a
  end
  return found
end

local function schedule(person, settings, now)
  local first
  for _, claim in ipairs(settings.c or {}) do
    for _, one in ipairs({claim, claim.p}) do
      if one.x and one.x > now and (not first or one.x < first) then first = one.x end
    end
  end
  if first then
    redis.call('ZADD', DUE, ms(first), person)
  else
    redis.call('ZREM', DUE, person)
  end
end
