"""Invitations: a guest fills in their own part without an account; a collaborator with one works on the whole.

Links carry keys of which only digests are stored, and a part opens only to whoever can read its address's mail.
"""
