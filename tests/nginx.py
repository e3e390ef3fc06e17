"""nginx with the file that the project gives to operators (deploy/nginx.conf); only addresses, ports and folders are
others, and TLS is left out where a test isn't about it."""

import os
import re
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from requests.adapters import HTTPAdapter

from tests.management.served import PATIENCE, PROJECT, free_port, opened
from tests.needed import needed
from tests.service.webhooks.authority import Authority
from tests.waiting import wait_until

# Debian's is where only root looks.
PROGRAM = which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
needs_nginx = needed("nginx", PROGRAM is not None)

# As root its workers would become somebody else, who can't write here.
_AROUND = """
worker_processes 1;
daemon off;
{user}
pid {folder}/pid;
error_log {folder}/start.log;
events {{ worker_connections 2048; }}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/none;
    uwsgi_temp_path {folder}/none;
    scgi_temp_path {folder}/none;
    {site}
}}
"""
# The lines of an upstream that name the first node, and those of the second.
_FIRST, _SECOND = (re.compile(rf"^( *server )web-{number}:8000(.*)$", re.MULTILINE) for number in (1, 2))


@dataclass
class Nginx:
    """The proxy before the nodes at these ports, running from `start` to `stop`. With `tls` it is as it would stand
    anywhere, else people come in at `port` without it."""

    folder: Path
    port: int
    nodes: Sequence[int]
    tls: Authority | None = None

    def start(self) -> None:
        assert PROGRAM is not None
        self.folder.mkdir(exist_ok=True)
        self.plain_port = free_port()
        config = self.folder / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        config.write_text(_AROUND.format(user=user, folder=self.folder, site=self._site()))
        command = [PROGRAM, "-c", str(config), "-e", str(self.folder / "start.log")]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self._process.poll() is not None or self._listens())
        assert self._process.poll() is None, self.logged()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)

    @property
    def base(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def logged(self) -> str:
        """All that it has written, errors included."""
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def protocol(self) -> str | None:
        """What a browser and it agree on."""
        assert self.tls is not None
        context = ssl.create_default_context(cafile=self.tls.certificate)
        context.set_alpn_protocols(["h2", "http/1.1"])
        with opened(self.port) as plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as secret:
            return secret.selected_alpn_protocol()

    def _site(self) -> str:
        """deploy/nginx.conf, for this machine."""
        text = (PROJECT / "deploy/nginx.conf").read_text()
        for there, here in {
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port}{' ssl http2' if self.tls else ' backlog=1024'};",
            "listen [::]:80;": "",
            "listen [::]:443 ssl http2;": "",
            "/etc/nginx/tls/portal.crt": f"{self.folder}/tls/leaf.pem",
            "/etc/nginx/tls/portal.key": f"{self.folder}/tls/leaf.key",
            "/var/log/nginx/": f"{self.folder}/",
        }.items():
            assert there in text, there
            text = text.replace(there, here)
        if self.tls is None:
            text = re.sub(r"^ *ssl_\w+ .*;\n", "", text, flags=re.MULTILINE)
        assert _FIRST.search(text)
        text = _FIRST.sub(lambda line: "\n".join(f"{line[1]}127.0.0.1:{node}{line[2]}" for node in self.nodes), text)
        return _SECOND.sub("", text)

    def _listens(self) -> bool:
        try:
            opened(self.port).close()
        except ConnectionRefusedError:
            return False
        return True


class FromAddress(HTTPAdapter):
    """Connects from an address of this machine, as different people do."""

    def __init__(self, address: str) -> None:
        self._source = (address, 0)
        super().__init__()

    def init_poolmanager(self, *args: object, **more: object) -> None:
        super().init_poolmanager(*args, source_address=self._source, **more)  # type: ignore[arg-type]


@contextmanager
def running_nginx(folder: Path, nodes: Sequence[int]) -> Iterator[Nginx]:
    folder.mkdir()
    authority = Authority(folder / "tls")
    authority.certify("IP:127.0.0.1")
    nginx = Nginx(folder, free_port(), nodes, authority)
    nginx.start()
    try:
        yield nginx
    finally:
        nginx.stop()
