"""`manage.py web`: sets everything up, then serves pages until SIGTERM; workers are processes of their own."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
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

# What a web server needs to end, beside what it waits for.
_MARGIN_SECONDS = 5.0


class Command(BaseCommand):
    help = "Set up the portal if needed, then serve it with the embedded service. Workers run on their own."

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until SIGINT or SIGTERM."""
        host, port = settings.ENV.host, settings.ENV.port
        # A port that is taken is reported before anything is set up.
        with _explained(host, port):
            listen(host, port).close()
        forget_ended_processes()
        prepare(self._say)
        # Loaded before the fork, instead of in each process. A service that cannot be reached is no reason not to
        # start: drafts are kept here meanwhile.
        try:
            catalog()
        except GatewayError as error:
            self._say(f"Warning: no catalog from {settings.FORMATION_SERVICE_URL or 'the embedded service'}: {error}")
        assert get_resolver().url_patterns
        # This reads the names of the static files, which `prepare` has collected.
        from formation_portal.wsgi import application

        connections.close_all()
        # Connections are refused until here, so that a balancer asks others meanwhile.
        with _explained(host, port):
            listening = listen(host, port)
        workers = self.workers(listening)
        limits = read_container_limits()
        wanted = settings.ENV.web_processes or available_cores(limits)
        processes = fitting_processes(wanted, limits.memory_bytes, workers=len(workers))
        for line in memory_warnings(wanted, limits.memory_bytes, workers=len(workers)):
            self._say(line)
        patience = settings.DRAIN_SECONDS + SHUTDOWN_SECONDS + _MARGIN_SECONDS
        web = [Child("web server", partial(serve, application, listening), patience=patience) for _ in range(processes)]
        supervision = Supervision([*web, *workers], self._say)
        try:
            supervision.start()
            self._announce()
            supervision.watch()
        finally:
            # While a process has the socket, new connections wait for an answer.
            listening.close()
            supervision.stop()
        self._say("Stopped.")

    def workers(self, listening: socket.socket) -> list[Child]:
        """Who works beside the web servers: nobody."""
        return []

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _announce(self) -> None:
        address = f"{settings.PORTAL_URL}/"
        self._say(f"\nFormation Portal: {address}")
        if settings.DEMO:
            for email, account in demo.ACCOUNTS.items():
                self._say(f"  {'agent' if account['is_agent'] else 'customer'}: {email}, password {demo.PASSWORD}")
            self._say(f"  service: {address}api/v1/docs, key {DEMO_KEY}")
            self._say(f"  letters: {address}letters/")
            self._say("Warning: these passwords are public. Set DEMO=false if anyone else can reach this address.")
        elif not settings.LETTERS_GO_OUT:
            self._say(
                "Warning: EMAIL_URL is not set. E-mails are not sent, so no customer can confirm an address or submit."
            )
        self._say("Press Ctrl-C to stop.\n")


@contextmanager
def _explained(host: str, port: int) -> Iterator[None]:
    """Say what is wrong with the port."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"Port {port} is in use. Choose another one, for example PORT={port + 1} make run"
            ) from None
        raise CommandError(f"Nobody can listen at HOST={host}, PORT={port}: {error.strerror}") from None
