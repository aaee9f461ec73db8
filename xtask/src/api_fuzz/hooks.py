"""What schemathesis cannot know from the description alone.

A URL that can be crawled is more than a `uri`, and a pattern must be a regular expression: valid examples are made
here, so that the check "valid data is accepted" means something. Rendering is described and not there yet.
"""

import schemathesis
from hypothesis import strategies as st

LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
PATH = st.text("abcdefghijklmnopqrstuvwxyz0123456789/-_.~%?=&é", max_size=20)

# No address behind `.invalid`: a job on it ends at once, and nobody out there is asked for anything.
URLS = st.builds(
    lambda scheme, label, path: f"{scheme}://{label}.invalid/{path.replace('%', '%25')}",
    st.sampled_from(["http", "https"]),
    LABEL,
    PATH,
)

schemathesis.openapi.format("uri", URLS)
schemathesis.openapi.format("regex", st.sampled_from(["/a/", r"\.html$", "^https://", "[0-9]+", "a|b", ".*"]))


@schemathesis.hook
def filter_body(context, body):
    return not (isinstance(body, dict) and body.get("use_js") in (True, "auto"))
