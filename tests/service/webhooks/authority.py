"""A certificate authority of a test's own, made by the openssl command: for that test alone, and trusted by nobody."""

import ssl
import subprocess
from pathlib import Path
from shutil import which

from tests.needed import needed

needs_openssl = needed("openssl", which("openssl") is not None)

_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Authority:
    """Keeps all that it makes in a folder; `certificate` is what somebody who trusts it knows."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.certificate = folder / "ca.pem"
        self._run("req", "-x509", *_NEW_KEY, "-subj", "/CN=Scratch", "-keyout", "ca.key", "-out", "ca.pem")

    def certify(self, name: str, *, is_expired: bool = False) -> ssl.SSLContext:
        """A server's side of TLS, for a subject as openssl writes it, like DNS:hooks.example.com."""
        days = "-1" if is_expired else "1"
        (self._folder / "names").write_text(f"subjectAltName = {name}\n")
        self._run("req", "-new", *_NEW_KEY, "-subj", "/CN=Receiver", "-keyout", "leaf.key", "-out", "leaf.csr")
        signer = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
        self._run("x509", "-req", "-in", "leaf.csr", "-out", "leaf.pem", "-days", days, *signer)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._folder / "leaf.pem", self._folder / "leaf.key")
        return context

    def _run(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self._folder, check=True, capture_output=True, timeout=60)
