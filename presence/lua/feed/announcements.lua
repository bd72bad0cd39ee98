-- Piece: a shard's announcements. META is a hash, EVENTS a stream.
-- `n` counts them without a gap, so that a lost one is noticed. `v` is the version that viewers get:
-- a time that only grows, so that it does not reveal how many hidden changes there were.
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

-- The position of the next announcement; each call takes one.
local function next_position(meta, events, now)
  local held = redis.call('HMGET', meta, 'epoch', 'n', 'v')
  local n, version = tonumber(held[2] or 0) + 1, math.max(now, tonumber(held[3] or 0) + 1)
  local epoch = held[1] or epoch_of(meta, events, now)
  redis.call('HSET', meta, 'n', ms(n), 'v', ms(version))
  return {epoch = epoch, n = n, version = version}
end

-- The version of a state read now: at least that of what it shows, below that of later changes.
local function as_of(meta, now)
  return math.max(now - 1, tonumber(redis.call('HGET', meta, 'v') or 0))
end

local function announce(position, events, channel, kept, event)
  event.ep, event.n, event.v = position.epoch, position.n, position.version
  local body = cjson.encode(event)
  if events then redis.call('XADD', events, 'MAXLEN', '~', kept, event.n .. '-0', 'j', body) end
  redis.call('PUBLISH', channel, body)
end
