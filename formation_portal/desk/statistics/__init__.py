"""Tables of statistics with small charts, each also as CSV."""
