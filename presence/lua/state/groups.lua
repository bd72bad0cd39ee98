-- Piece: rows of last seen. Their score is group * 2^42 + ms since 1970, so that the people of each
-- group are a range of every set, in order of time. A person's group is the part before the first
-- '/' of the name. GROUPS is a hash: group -> its number, from 1. The last number is shared by all
-- groups that come later: their people are told apart by name.
local GROUP_SIZE, LAST_GROUP = 4398046511104, 2047
local group_numbers = {}

local function group_of(person)
  return string.match(person, '^(.-)/') or ''
end

-- All numbers from 1 to this one are taken.
local function last_group()
  return math.min(redis.call('HLEN', GROUPS), LAST_GROUP)
end

local function group_number(group)
  if not group_numbers[group] then
    local held = tonumber(redis.call('HGET', GROUPS, group) or nil)
    if not held then
      held = math.min(last_group() + 1, LAST_GROUP)
      redis.call('HSET', GROUPS, group, ms(held))
    end
    group_numbers[group] = held
  end
  return group_numbers[group]
end

-- In a batch many people have the same score, such as people of a group who leave at once.
local last_score, last_text
local function score_of(person, at)
  local score = group_number(group_of(person)) * GROUP_SIZE + at
  if score ~= last_score then last_score, last_text = score, ms(score) end
  return last_text
end

local function time_of(score)
  return score and tonumber(score) % GROUP_SIZE or nil
end

-- A beat moves the one row that has the true time forward, never back.
local function touch(person, at)
  local score = score_of(person, at)
  if redis.call('ZADD', SEEN, 'XX', 'GT', 'CH', score, person) == 1 then return end
  if redis.call('ZADD', HIDDEN, 'XX', 'GT', 'CH', score, person) == 1 then return end
  redis.call('ZADD', CONTACTS, 'XX', 'GT', score, person)
end
