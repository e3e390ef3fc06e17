"""Template tags of the register, for customers' pages and the desk alike."""
