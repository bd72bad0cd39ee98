-- Piece: a shard's announcements. META is a hash, EVENTS a stream.
-- `n` counts them without a gap, so that a lost one is noticed. `v` is the version that viewers get:
-- a time that only grows, so that it does not reveal how many hidden changes there were.
local function epoch_of(meta, events, now)
  local epoch = redis.call('HGET', meta, 'epoch')
  if not epoch then
    epoch = ms(now)
    redis.call('HSET', meta, 'epoch', epoch)
    if events then redis.call('DEL', events) end
  end
  return epoch
end

local batch           -- waits for the end of the script (state/batch.lua), nil without a batch
local last_position

local function keep_position(meta)
  redis.call('HSET', meta, 'n', ms(last_position.n), 'v', ms(last_position.version))
end

-- Returns the position of the next announcement. A script stores only its last position.
local function next_position(meta, events, now)
  local is_first = not last_position
  if is_first then
    local held = redis.call('HMGET', meta, 'epoch', 'n', 'v')
    local epoch = held[1] or epoch_of(meta, events, now)
    last_position = {epoch = epoch, n = tonumber(held[2] or 0), version = tonumber(held[3] or 0)}
  end
  last_position.n, last_position.version = last_position.n + 1, math.max(now, last_position.version + 1)
  last_position.is_first = is_first
  if not batch then keep_position(meta) end
  return last_position
end

-- The version of a state read now: not below the changes that it shows, but below later changes.
local function as_of(meta, now)
  return math.max(now - 1, tonumber(redis.call('HGET', meta, 'v') or 0))
end

-- `members`: the announcement as members of a JSON object. The first one of a script trims the
-- stream.
local function announce(position, events, channel, kept, members)
  local n = ms(position.n)
  local body = '{"ep":"' .. position.epoch .. '","n":' .. n .. ',"v":' .. ms(position.version) .. ',' .. members .. '}'
  if events and position.is_first then
    redis.call('XADD', events, 'MAXLEN', '~', kept, n, 'j', body)
  elseif events then
    redis.call('XADD', events, n, 'j', body)
  end
  redis.call('PUBLISH', channel, body)
end
