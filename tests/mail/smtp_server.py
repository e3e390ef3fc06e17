"""A mail server that speaks as much SMTP as sending takes, keeps what it is given, and says no where it is told to."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast


class MailServer(socketserver.ThreadingTCPServer):
    """Listens on a free port. `refusals` are its next answers to a receiver, the first first."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.refusals: list[str] = []
        self.messages: list[EmailMessage] = []
        self.farewells = 0

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def keep(self, content: bytes) -> None:
        self.messages.append(cast(EmailMessage, message_from_bytes(content, policy=policy.default)))


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 here")
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"DATA":
                self._say("354 go on")
                self.server.keep(b"".join(iter(self.rfile.readline, b".\r\n")))
            if verb == b"QUIT":
                self.server.farewells += 1
                self._say("221 bye")
                return
            refused = verb == b"RCPT" and self.server.refusals
            self._say(self.server.refusals.pop(0) if refused else "250 yes")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextlib.contextmanager
def mail_server(settings: Any) -> Iterator[MailServer]:
    """The server, at work, with the portal's settings pointing to it."""
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.LETTERS_GO_OUT = True
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
