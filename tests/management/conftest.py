"""What the tests of several nodes share."""

from .site import site

__all__ = ["site"]
