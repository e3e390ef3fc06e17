"""What is acknowledged is kept: many writers at once, kill -9 at random moments, a database server that dies.

`make durability` does it at full length, and prints a line `name value` for each figure; the tests do less of it.
"""
