"""A certificate authority of a test's own, made by the openssl command: for that test alone, and trusted by nobody."""

import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import which

from tests.needed import needed

needs_openssl = needed("openssl", which("openssl") is not None)

_SETTINGS = """
[ca]
default_ca = here
[here]
new_certs_dir = {folder}
database = {folder}/index.txt
serial = {folder}/serial
private_key = {folder}/ca.key
certificate = {folder}/ca.pem
default_md = sha256
unique_subject = no
policy = any
[any]
commonName = supplied
"""
_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Authority:
    """Keeps all that it makes in a folder; `certificate` is what somebody who trusts it knows."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.certificate = folder / "ca.pem"
        (folder / "settings").write_text(_SETTINGS.format(folder=folder))
        (folder / "index.txt").touch()
        (folder / "serial").write_text("01\n")
        self._run("req", "-x509", *_NEW_KEY, "-subj", "/CN=Scratch", "-keyout", "ca.key", "-out", "ca.pem")

    def certify(self, name: str, *, is_expired: bool = False) -> ssl.SSLContext:
        """A server's side of TLS: `name` is a certificate's subject as openssl writes it, like DNS:hooks.example.com.

        An expired one was good the day before yesterday.
        """
        until = datetime.now(UTC) + timedelta(days=-1 if is_expired else 1)
        dates = [f"{moment:%Y%m%d%H%M%SZ}" for moment in (until - timedelta(days=2), until)]
        (self._folder / "names").write_text(f"subjectAltName = {name}\n")
        self._run("req", "-new", *_NEW_KEY, "-subj", "/CN=Receiver", "-keyout", "leaf.key", "-out", "leaf.csr")
        where = ("-in", "leaf.csr", "-out", "leaf.pem", "-notext", "-extfile", "names")
        self._run("ca", "-config", "settings", "-batch", "-startdate", dates[0], "-enddate", dates[1], *where)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._folder / "leaf.pem", self._folder / "leaf.key")
        return context

    def _run(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self._folder, check=True, capture_output=True, timeout=60)
