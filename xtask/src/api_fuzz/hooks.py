"""Generators for values that the API description cannot fully specify.

A URL that can be crawled is more than a `uri`, and a pattern must be a regular expression: valid examples are generated
here, so that the check "valid data is accepted" is meaningful.
"""

import schemathesis
from hypothesis import strategies as st

LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
PATH = st.text("abcdefghijklmnopqrstuvwxyz0123456789/-_.~%?=&é", max_size=20)

# `.invalid` never resolves: a job for it fails at once, and no request leaves this machine.
URLS = st.builds(
    lambda scheme, label, path: f"{scheme}://{label}.invalid/{path.replace('%', '%25')}",
    st.sampled_from(["http", "https"]),
    LABEL,
    PATH,
)

schemathesis.openapi.format("uri", URLS)
schemathesis.openapi.format("regex", st.sampled_from(["/a/", r"\.html$", "^https://", "[0-9]+", "a|b", ".*"]))
