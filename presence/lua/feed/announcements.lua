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

-- The position of the next announcement; each call takes one. The last one of a script is kept.
local last_position
local function next_position(meta, events, now)
  if not last_position then
    local held = redis.call('HMGET', meta, 'epoch', 'n', 'v')
    local epoch = held[1] or epoch_of(meta, events, now)
    last_position = {epoch = epoch, n = tonumber(held[2] or 0), version = tonumber(held[3] or 0)}
  end
  local n, version = last_position.n + 1, math.max(now, last_position.version + 1)
  redis.call('HSET', meta, 'n', ms(n), 'v', ms(version))
  last_position = {epoch = last_position.epoch, n = n, version = version}
  return last_position
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
