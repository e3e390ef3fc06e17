"""Each page in each of its states, for pictures and for tests that look at every page."""
