"""The queue of cases: search, filters and claims, and the rows that they read."""
