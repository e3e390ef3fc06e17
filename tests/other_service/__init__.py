"""A formation service of another make, for the tests: a real HTTP server with its own judgement and its own habits.

It knows the documented calls of the interface and none of the supplementary calls (**S** in INTERFACE.md); its
catalog is a bare list; its errors have four shapes, none of them ours; a POST that comes twice counts twice. It
imports nothing of the portal: what it refuses, it refuses by its own reading of the interface. Its schemas are
written here, for nobody's company law.
"""

from .service import KEY, OtherService

__all__ = ["KEY", "OtherService"]
