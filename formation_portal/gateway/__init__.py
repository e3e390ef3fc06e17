"""The only place that speaks HTTP to the formation service: client, errors, transports, and the cached catalog.

Imports the contract, requests and Django; never applications, relay, portal, desk or the embedded service itself.
What another service's choices of envelopes, errors and calls may differ in is met here and nowhere else.
"""

from .client import FormationService
from .configuration import service

__all__ = ["FormationService", "service"]
