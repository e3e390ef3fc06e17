"""The client of the formation service, the only package that calls it."""

from .client import FormationService
from .configuration import service

__all__ = ["FormationService", "service"]
