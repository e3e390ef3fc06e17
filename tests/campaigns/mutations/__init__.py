"""How many small breaks of the code do the tests find? `make mutations` says so by package."""
