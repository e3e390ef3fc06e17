"""`make agreement`: lines of `name value`; exit 1 where two places differ about what is needed."""

import sys

from tests.campaigns import drawn

sys.exit(drawn.main("tests.campaigns.agreement.test_needs_agree", counted="drafts", default=1000))
