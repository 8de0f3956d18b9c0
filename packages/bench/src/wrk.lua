-- Posts the lines of BODIES in turn, with the keys of API_KEYS in turn. KEY_PLACE in each becomes something of
-- this run and this pass through the file, so that no idempotency key comes twice.
local function lines_of(name)
  local lines = {}
  for line in io.lines(os.getenv(name)) do lines[#lines + 1] = line end
  return lines
end

local bodies, keys = lines_of("BODIES"), lines_of("API_KEYS")
local place = os.getenv("KEY_PLACE")
local run = tonumber(os.getenv("RUN"))
local sent, pass = 0, 0
local headers = {}
for at, key in ipairs(keys) do
  headers[at] = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. key }
end

function request()
  if sent > 0 and sent % #bodies == 0 then pass = pass + 1 end
  local body = bodies[sent % #bodies + 1]:gsub(place, string.format("%06x%02x", run, pass % 256))
  local header = headers[sent % #headers + 1]
  sent = sent + 1
  return wrk.format("POST", wrk.path, header, body)
end

function done(summary, latency)
  io.write(string.format(
    "RESULT %d %d %d %f %f\n",
    summary.requests, summary.errors.status + summary.errors.timeout, summary.duration,
    latency:percentile(50), latency:percentile(99)
  ))
end
