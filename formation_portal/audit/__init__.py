"""Who looked at what, who changed and who decided what: a chain of entries in which nothing can be altered unseen.

Every entry holds the hash of the one before it, and its own hash is taken of all of it. Numbers and hashes are written
to a file outside the database as well, the anchor, so that a chain that was cut or made anew is found too. The room
imports nothing of the house: others call `chain.append` in the transaction of the deed. No entry names a person or
holds anything that was typed: accounts, applications and documents stand in it by their numbers.
"""
