"""Others do their part: a person fills in what is theirs without an account, somebody with one works on the whole.

Links open by keys of which only digests are kept, and a part opens only to whoever reads its address's mail.
"""
