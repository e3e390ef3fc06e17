"""`make typing`: lines of `name value`; exit 1 where a letter was lost, or the page moved while somebody typed."""

import sys

from tests.campaigns import drawn

sys.exit(drawn.main("tests.campaigns.fast_typing.test_fast_typing", counted="runs", default=200))
