"""The client of the formation service, the only package that calls it: errors, transports, and the cached catalog.

Imports the contract, requests and Django; never applications, relay, portal, desk or the embedded service itself.
Differences of other services in envelopes, errors and calls are handled only here.
"""

from .client import FormationService
from .configuration import service

__all__ = ["FormationService", "service"]
