/**
 * The Lua scripts of the store in Redis. Each one names all its keys in KEYS: a
 * client may add a prefix to them, a cluster finds its node by them, and some
 * servers refuse all others.
 */

/** The server's clock in milliseconds. The server expires keys by it. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * The index sets are the last KEYS, and their names are ARGV[1], separated by
 * spaces. The caller may not know all names of a value. The script then changes
 * nothing, and returns these names for another call.
 */
const SETS = `
local known, sets, unknown = {}, {}, {}
for name in string.gmatch(ARGV[1], '[^ ]+') do known[#known + 1] = name end
for i, name in ipairs(known) do sets[name] = KEYS[#KEYS - #known + i] end
local function learn(names)
  for name in string.gmatch(names or '', '[^ ]+') do
    if not sets[name] then unknown[#unknown + 1] = name end
  end
end
local function unindex(names, id)
  for name in string.gmatch(names or '', '[^ ]+') do
    redis.call('ZREM', sets[name], id)
  end
end`;

/**
 * KEYS: the value's key. ARGV: see `put`. Some clients repeat a command if the
 * connection breaks before the reply: the new version shows that it was done.
 *
 * HSET must be the first write. Above `maxmemory`, Redis only checks the first
 * write of a script: after one that frees memory, it would accept all others.
 */
export const PUT = `${NOW}${SETS}
local version = redis.call('HGET', KEYS[1], 'version') or ''
if version == ARGV[4] then return { 1, {} } end
if version ~= ARGV[2] then return { 0, {} } end
local names = redis.call('HGET', KEYS[1], 'index')
learn(names)
if #unknown > 0 then return { 0, unknown } end
redis.call('HSET', KEYS[1], 'value', ARGV[3], 'version', ARGV[4], 'index', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
unindex(names, ARGV[6])
for name in string.gmatch(ARGV[7], '[^ ]+') do
  local set = sets[name]
  redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
  redis.call('ZADD', set, string.format('%.0f', now + ARGV[5]), ARGV[6])
  if redis.call('PTTL', set) < tonumber(ARGV[5]) then
    redis.call('PEXPIRE', set, ARGV[5])
  end
end
return { 1, {} }`;

/** KEYS contains the value's key. ARGV contains the names and the id. */
export const DELETE = `${SETS}
local names = redis.call('HGET', KEYS[1], 'index')
learn(names)
if #unknown > 0 then return { 0, unknown } end
unindex(names, ARGV[2])
return { redis.call('DEL', KEYS[1]), {} }`;

/** KEYS: the values' keys. */
export const GET_MANY = `
local found = {}
for i, key in ipairs(KEYS) do
  local entry = redis.call('HMGET', key, 'value', 'version')
  found[i] = { entry[1] or '', entry[2] or '' }
end
return found`;

/**
 * KEYS contains the values' keys. ARGV contains the names, the value, its
 * version, its lifetime, and the ids and versions to replace.
 */
export const REPLACE_MANY = `${SETS}
local changes, replaced = {}, {}
for i = 1, #KEYS - #known do
  local id, version = ARGV[3 + 2 * i], ARGV[4 + 2 * i]
  local stored = redis.call('HMGET', KEYS[i], 'version', 'index')
  if stored[1] == version or stored[1] == ARGV[3] then
    learn(stored[2])
    changes[#changes + 1] = { key = KEYS[i], id = id, names = stored[2] }
  end
end
if #unknown > 0 then return { {}, unknown } end
for i, change in ipairs(changes) do
  redis.call('HSET', change.key, 'value', ARGV[2], 'version', ARGV[3], 'index', '')
  redis.call('PEXPIRE', change.key, ARGV[4])
  unindex(change.names, change.id)
  replaced[i] = change.id
end
return { replaced, {} }`;

/**
 * KEYS contains the prefix, which selects the node, and to which a client may
 * add its own. ARGV contains the position.
 */
export const SCAN = String.raw`
local pattern = string.gsub(KEYS[1], '[%*%?%[%]\\]', '\\%0') .. '*'
local page = redis.call('SCAN', ARGV[1], 'MATCH', pattern, 'COUNT', 1000)
for i, key in ipairs(page[2]) do page[2][i] = string.sub(key, #KEYS[1] + 1) end
return page`;

/** KEYS: the index set. */
export const BY_INDEX = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)`;

/** KEYS: two keys. Returns the names under which they reach Redis. */
export const KEY_NAMES = "return KEYS";
