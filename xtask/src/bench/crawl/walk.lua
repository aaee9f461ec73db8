-- wrk asks for every page of a site in turns, as a crawl does: one page alone would stay in the processor's cache.
-- Its words: a file with a target on each line, and what it says it accepts.

local requests = {}
local at = 0

function init(words)
  local headers = { ["Accept-Encoding"] = words[2] }
  for target in io.lines(words[1]) do
    requests[#requests + 1] = wrk.format("GET", target, headers)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
