"""The nodes of one installation: what they share, what each of them is, and how they wake each other."""
