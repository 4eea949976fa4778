-- Sends the reviews of a file, one after the other and then again, each with a volume name and a uid of
-- its own put where the file has marks (see _review.ts), and prints a line of JSON in the end.
--
--   wrk -t1 -c16 -d10s -s wrk.lua https://127.0.0.1:PORT/inject -- FILE

local SUFFIX = "@@@@@"
local UID = "########-####-####-####-############"
local LETTERS = "bcdfghjklmnpqrstvwxz2456789"

local reviews = {}
local count = 0

-- A review as parts, with SUFFIX and UID between them as they stood.
local function cut(line)
  local parts, from = {}, 1
  while true do
    local s = line:find(SUFFIX, from, true)
    local u = line:find(UID, from, true)
    local at, mark = s, SUFFIX
    if u and (not s or u < s) then at, mark = u, UID end
    if not at then
      parts[#parts + 1] = line:sub(from)
      return parts
    end
    parts[#parts + 1] = line:sub(from, at - 1)
    parts[#parts + 1] = mark
    from = at + #mark
  end
end

function init(args)
  math.randomseed(os.time())
  local head = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n" ..
    "Content-Type: application/json\r\nContent-Length: "
  for line in io.lines(args[1]) do
    reviews[#reviews + 1] = cut(head .. #line .. "\r\n\r\n" .. line)
  end
end

function request()
  local parts = reviews[count % #reviews + 1]
  count = count + 1
  local suffix = {}
  for i = 1, #SUFFIX do
    local at = math.random(#LETTERS)
    suffix[i] = LETTERS:sub(at, at)
  end
  suffix = table.concat(suffix)
  local uid = string.format("%08x-0000-4000-8000-%012x", math.random(0, 0x7fffffff), count)
  local whole = {}
  for i = 1, #parts do
    local part = parts[i]
    if part == SUFFIX then part = suffix elseif part == UID then part = uid end
    whole[i] = part
  end
  return table.concat(whole)
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '\n{"requests":%d,"failed":%d,"seconds":%.6f,"bytes":%d}\n',
    summary.requests, failed, summary.duration / 1e6, summary.bytes))
end
