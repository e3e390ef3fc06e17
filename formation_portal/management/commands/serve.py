"""`manage.py serve`, which `make run` calls: sets everything up, then serves until Ctrl-C."""

import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.urls import get_resolver

from formation_portal.accounts import demo
from formation_portal.gateway.catalog import catalog
from formation_portal.gateway.errors import GatewayError
from formation_portal.management.preparation import prepare
from formation_portal.management.supervision import Child, Supervision
from formation_portal.management.web_server import WebServer
from formation_portal.service.keys import DEMO_KEY
from formation_portal.service.webhooks.sender import sender


class Command(BaseCommand):
    help = "Set up what is missing, then serve the portal with the embedded service and one relay worker."

    def handle(self, *args: Any, **options: Any) -> None:
        """Ends with exit code 1 where the port is taken or the web server dies."""
        host, port = settings.ENV.host, settings.ENV.port
        if _is_taken(host, port):
            raise CommandError(f"Port {port} is taken. Set PORT to another one, like PORT={port + 1} make run")
        prepare(self._say)
        self._try_service()
        # Loaded once, before the fork, instead of in each process.
        assert get_resolver().url_patterns
        connections.close_all()
        supervision = Supervision(
            web=Child("web server", WebServer(host=host, port=port).run),
            worker=Child("relay worker", _relay),
            is_ready=lambda: _is_taken(host, port),
            on_ready=self._announce,
            say=self._say,
        )
        code = supervision.run()
        self._say("Stopped.")
        sys.exit(code)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _try_service(self) -> None:
        """Another service that cannot be reached is no reason not to start: drafts are kept here meanwhile."""
        if not settings.FORMATION_SERVICE_URL:
            return
        try:
            catalog()
        except GatewayError as error:
            self._say(f"Warning: no catalog from {settings.FORMATION_SERVICE_URL}: {error}")

    def _announce(self) -> None:
        address = f"http://localhost:{settings.ENV.port}/"
        self._say(f"\nFormation Portal: {address}")
        if settings.DEMO:
            for account in demo.ACCOUNTS:
                self._say(f"  {'agent' if account.is_agent else 'customer'}: {account.email}, password {demo.PASSWORD}")
            self._say(f"  service: {address}api/v1/docs, key {DEMO_KEY}")
            self._say(f"  letters: {address}letters/")
            self._say("Warning: everybody knows these. Set DEMO=false wherever anybody else can reach this address.")
        elif not settings.LETTERS_GO_OUT:
            self._say("Warning: there is no EMAIL_URL, so letters stay in the outbox and reach nobody.")
        self._say("Ctrl-C ends it.\n")


def _relay() -> None:
    with sender().beside():
        call_command("relay")


def _is_taken(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1" if host == "0.0.0.0" else host, port)) == 0  # noqa: S104  # compared only
