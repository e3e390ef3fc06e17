"""nginx with the file that the project gives to operators; only addresses, ports and folders are others."""

import os
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from tests.management.served import PATIENCE, PROJECT, free_port, opened
from tests.needed import needed
from tests.service.webhooks.authority import Authority

# Debian's is where only root looks.
NGINX = which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
needs_nginx = needed("nginx", NGINX is not None)

_AROUND = """
daemon off;
{user}
pid {folder}/pid;
error_log {folder}/start.log;
events {{}}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/none;
    uwsgi_temp_path {folder}/none;
    scgi_temp_path {folder}/none;
    {site}
}}
"""


@dataclass(frozen=True)
class Nginx:
    """One that runs, before two addresses."""

    folder: Path
    port: int
    plain_port: int
    certificate: Path

    @property
    def base(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def logged(self) -> str:
        """All that it has written, errors included."""
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def protocol(self) -> str | None:
        """What a browser and it agree on."""
        context = ssl.create_default_context(cafile=self.certificate)
        context.set_alpn_protocols(["h2", "http/1.1"])
        with opened(self.port) as plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as secret:
            return secret.selected_alpn_protocol()


def site(folder: Path, web_ports: tuple[int, int], port: int, plain_port: int) -> str:
    """deploy/nginx.conf, for this machine."""
    text = (PROJECT / "deploy/nginx.conf").read_text()
    for there, here in {
        "web-1:8000": f"127.0.0.1:{web_ports[0]}",
        "web-2:8000": f"127.0.0.1:{web_ports[1]}",
        "listen 80;": f"listen 127.0.0.1:{plain_port};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;",
        "listen [::]:80;": "",
        "listen [::]:443 ssl http2;": "",
        "/etc/nginx/tls/portal.crt": f"{folder}/tls/leaf.pem",
        "/etc/nginx/tls/portal.key": f"{folder}/tls/leaf.key",
        "/var/log/nginx/": f"{folder}/",
    }.items():
        assert there in text, there
        text = text.replace(there, here)
    return text


@contextmanager
def running_nginx(folder: Path, web_ports: tuple[int, int]) -> Iterator[Nginx]:
    """Started, and ended with all that it has begun."""
    assert NGINX is not None
    folder.mkdir()
    authority = Authority(folder / "tls")
    authority.certify("IP:127.0.0.1")
    nginx = Nginx(folder, free_port(), free_port(), authority.certificate)
    user = "user root;" if os.geteuid() == 0 else ""
    text = site(folder, web_ports, nginx.port, nginx.plain_port)
    (folder / "nginx.conf").write_text(_AROUND.format(user=user, folder=folder, site=text))
    process = subprocess.Popen([NGINX, "-c", str(folder / "nginx.conf"), "-e", str(folder / "start.log")])
    try:
        until = time.monotonic() + PATIENCE
        while not _listens(nginx.port):
            assert process.poll() is None, nginx.logged()
            assert time.monotonic() < until
            time.sleep(0.05)
        yield nginx
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _listens(port: int) -> bool:
    try:
        opened(port).close()
    except ConnectionRefusedError:
        return False
    return True
