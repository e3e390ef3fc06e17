"""Template tags for customers' pages and the desk alike."""
