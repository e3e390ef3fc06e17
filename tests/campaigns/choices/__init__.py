"""Choices on forms that nobody has seen before, over a network that is late, holds answers back, or fails."""
