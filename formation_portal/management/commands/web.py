"""`manage.py web`: set up the portal, then serve pages until SIGTERM. Workers are separate processes."""

import errno
import socket
import sys
from functools import partial
from io import TextIOWrapper
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.urls import get_resolver

from formation_portal.accounts import demo
from formation_portal.core.container_limits import read_container_limits
from formation_portal.core.monitoring.metrics import forget_ended_processes
from formation_portal.gateway.catalog import catalog
from formation_portal.gateway.errors import GatewayError
from formation_portal.management.commands.setup_portal import prepare
from formation_portal.management.supervision import Child, Supervision
from formation_portal.management.web_processes import available_cores, fitting_processes, memory_warnings
from formation_portal.management.web_server import SHUTDOWN_SECONDS, listen, serve
from formation_portal.service.auth import DEMO_KEY

# The time that a web server needs to end after it has waited for its requests.
_MARGIN_SECONDS = 5.0


class Command(BaseCommand):
    help = "Set up the portal if needed, then serve it with the embedded service. Workers run on their own."

    def handle(self, *args: Any, **options: Any) -> None:
        # Prints each line at once, even into a pipe.
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)
        host = settings.ENV.host
        port = settings.ENV.port
        # Raises CommandError for a port in use, before setting up anything.
        _listen(host, port).close()
        forget_ended_processes()
        prepare(self.stdout)
        # The catalog is loaded before the fork, instead of in each process. The portal also starts if the service can't
        # be reached, since customers can still work on drafts.
        try:
            catalog()
        except GatewayError as error:
            service = settings.FORMATION_SERVICE_URL or "the embedded service"
            self.stdout.write(f"Warning: no catalog from {service}: {error}")
        assert get_resolver().url_patterns
        # This reads the names of the static files, which `prepare` has collected.
        from formation_portal.wsgi import application

        connections.close_all()
        # Connections are refused until here, so that a balancer asks other nodes.
        listening = _listen(host, port)
        workers = self.workers(listening)
        limits = read_container_limits()
        desired = settings.ENV.web_processes or available_cores(limits)
        for line in memory_warnings(desired, limits.memory_bytes, workers=len(workers)):
            self.stdout.write(line)
        patience = settings.DRAIN_SECONDS + SHUTDOWN_SECONDS + _MARGIN_SECONDS
        children = []
        for _ in range(fitting_processes(desired, limits.memory_bytes, workers=len(workers))):
            children.append(Child("web server", partial(serve, application, listening), patience=patience))
        supervision = Supervision([*children, *workers], self.stdout)
        try:
            supervision.start()
            self._announce()
            supervision.watch()
        finally:
            # New connections would wait for an answer as long as a process has the socket open.
            listening.close()
            supervision.stop()
        self.stdout.write("Stopped.")

    def workers(self, listening: socket.socket) -> list[Child]:
        return []

    def _announce(self) -> None:
        address = f"{settings.PORTAL_URL}/"
        self.stdout.write(f"\nFormation Portal: {address}")
        if settings.DEMO:
            for email, account in demo.ACCOUNTS.items():
                kind = "agent" if account["is_agent"] else "customer"
                self.stdout.write(f"  {kind}: {email}, password {demo.PASSWORD}")
            self.stdout.write(f"  service: {address}api/v1/docs, key {DEMO_KEY}")
            self.stdout.write(f"  letters: {address}letters/")
            self.stdout.write(
                "Warning: these passwords are public. Set DEMO=false if anyone else can reach this address."
            )
        elif not settings.LETTERS_GO_OUT:
            self.stdout.write(
                "Warning: EMAIL_URL is not set. E-mails are not sent, so no customer can confirm an address or submit."
            )
        self.stdout.write("Press Ctrl-C to stop.\n")


def _listen(host: str, port: int) -> socket.socket:
    """Open the port. Raises CommandError with the cause if that fails."""
    try:
        return listen(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"Port {port} is in use. Choose another one, for example PORT={port + 1} make run"
            ) from None
        raise CommandError(f"Nobody can listen at HOST={host}, PORT={port}: {error.strerror}") from None
