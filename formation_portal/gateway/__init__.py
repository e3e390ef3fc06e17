"""The client of the formation service. No other package calls the service."""

from .client import FormationService
from .configuration import service

__all__ = ["FormationService", "service"]
