-- Piece: the sets with the times of last seen, arranged so that a list needs no filter.
local LAST_SEEN_SETS = {
  seen = SEEN, contacts = CONTACTS, hidden = HIDDEN, left = LEFT, left_contacts = LEFT_CONTACTS,
}

-- A person shown to everyone has one row; all sets are read only for others.
local function rows_of(person)
  local seen = redis.call('ZSCORE', SEEN, person)
  if seen then return {seen = time_of(seen)} end
  local rows = {}
  for name, key in pairs(LAST_SEEN_SETS) do
    rows[name] = time_of(redis.call('ZSCORE', key, person))
  end
  return rows
end

-- Puts the person's rows in the right sets. `beat`: time of a beat, nil for none; `shown`: whether
-- others saw the person so far. Returns the rows.
local function file(person, derived, rows, now, beat, shown)
  local truth = rows.hidden or rows.seen or rows.contacts
  if beat then truth = math.max(beat, truth or 0) end
  local left = rows.left or rows.left_contacts
  local filed, open = {}, derived.audience ~= 'n' and derived.shows
  if derived.masked and open then
    filed.hidden, left = truth, left or shown and now or rows.seen or rows.contacts
  elseif not open or (derived.status == 'offline' and left) then
    filed.hidden = truth        -- hidden times stay hidden until the next visible beat
  else
    filed[derived.audience == 'e' and 'seen' or 'contacts'], left = truth, nil
  end
  if open and left then filed[derived.audience == 'e' and 'left' or 'left_contacts'] = left end
  for name, at in pairs(filed) do
    local key = LAST_SEEN_SETS[name]
    if at ~= rows[name] then redis.call('ZADD', key, score_of(person, at), person) end
  end
  for name in pairs(rows) do
    local key = LAST_SEEN_SETS[name]
    if not filed[name] then redis.call('ZREM', key, person) end
  end
  return filed
end
