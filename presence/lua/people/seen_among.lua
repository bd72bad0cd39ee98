-- Job: the last-seen times of some people of a shard, as far as they are on a list.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, audience (everyone, contacts or truth),
-- oldest ms, newest ms, then the names.
-- Returns {epoch ms or '', name, ms, …}.
local SETS = {everyone = {SEEN, LEFT}, contacts = {CONTACTS, LEFT_CONTACTS}, truth = {SEEN, CONTACTS, HIDDEN}}
local from, to = tonumber(ARGV[4]), tonumber(ARGV[5])
local answer = {redis.call('HGET', META, 'epoch') or ''}
for at = 6, #ARGV do
  for _, key in ipairs(SETS[ARGV[3]]) do
    local score = redis.call('ZSCORE', key, ARGV[at])
    local seen = score and time_of(score)
    if seen and seen >= from and seen <= to then
      answer[#answer + 1], answer[#answer + 2] = ARGV[at], ms(seen)
    end
  end
end
return answer
