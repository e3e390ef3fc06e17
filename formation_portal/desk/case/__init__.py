"""One submitted application: its page, checks, queries and notes, and what others have done to it meanwhile."""
