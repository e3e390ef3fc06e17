"""Share classes, who holds how many, and who is a beneficial owner by that."""
