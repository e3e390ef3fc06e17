"""`make choices`: lines of `name value`; exit 1 where a page ended otherwise than the server would draw it."""

import sys

from tests.campaigns import drawn

sys.exit(drawn.main("tests.campaigns.choices.test_sequences", counted="sequences", default=1000))
