"""Counts what happens to submitted applications: small totals, kept up to date in the transaction of each deed.

So the desk's figures cost the same however many applications there are. Nobody's name and nothing typed stands here.
"""
