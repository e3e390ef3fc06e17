"""What agents make of what was submitted: checks, queries, notes and decisions. Pages are the desk's."""
