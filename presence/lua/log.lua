-- Piece: a shard's announcements. META is a hash, EVENTS a stream.
-- `n` counts them without a gap, so that a lost one is noticed. `v` is what others see as a
-- version: a time that only grows, so that it tells nobody how much went on unseen.
local function ms(number)
  return string.format('%.0f', number)
end

local function epoch_of(meta, events, now)
  local epoch = redis.call('HGET', meta, 'epoch')
  if not epoch then
    epoch = ms(now)
    redis.call('HSET', meta, 'epoch', epoch)
    if events then redis.call('DEL', events) end
  end
  return epoch
end

-- The place of the next announcement: it takes no other.
local function next_place(meta, events, now)
  local held = redis.call('HMGET', meta, 'epoch', 'n', 'v')
  local n, version = tonumber(held[2] or 0) + 1, math.max(now, tonumber(held[3] or 0) + 1)
  local epoch = held[1] or epoch_of(meta, events, now)
  redis.call('HSET', meta, 'n', ms(n), 'v', ms(version))
  return {epoch = epoch, n = n, version = version}
end

-- The version of a state read now: not below what it shows, below all that comes after.
local function as_of(meta, now)
  return math.max(now - 1, tonumber(redis.call('HGET', meta, 'v') or 0))
end

local function announce(place, events, channel, kept, event)
  event.ep, event.n, event.v = place.epoch, place.n, place.version
  local body = cjson.encode(event)
  if events then redis.call('XADD', events, 'MAXLEN', '~', kept, event.n .. '-0', 'j', body) end
  redis.call('PUBLISH', channel, body)
end
