-- Makes wrk request every page of a site in turn, as a crawl does: a single page would stay in the processor's cache.
-- Arguments: a file with one target per line, and the value of Accept-Encoding.

local requests = {}
local last = 0

function init(args)
  local headers = { ["Accept-Encoding"] = args[2] }
  for target in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", target, headers)
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end
