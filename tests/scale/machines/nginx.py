"""nginx before the web nodes, as it would stand before them anywhere, but without TLS."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from .nodes import until

# Debian's place is not on everybody's path.
PROGRAM = which("nginx") or which("nginx", path="/usr/sbin:/usr/local/sbin")


def configuration(folder: Path, port: int, nodes: Sequence[int]) -> str:
    """The whole configuration, for nodes at these ports of this machine.

    A node that dies while it answers a form has perhaps carried it out; nginx sends it to the other one all the same
    (`non_idempotent`), since posting a form twice is posting it once: forms carry the page's version, and what they
    make has its name from the page. Machines that call the service's interface repeat by themselves, under their
    Idempotency-Key, and are told what happened. 503 is passed on as it is: it brings what was typed.

    A node that has just failed is left alone for a second. Where that goes for all of them, as when one is ended just
    after another came back, each is asked all the same (`backup`) before anybody is told that there is none.
    """
    servers = "\n".join(
        [f"        server 127.0.0.1:{node} max_fails=1 fail_timeout=1s;" for node in nodes]
        + [f"        server 127.0.0.1:{node} backup max_fails=0;" for node in nodes]
    )
    return f"""
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    client_max_body_size 70m;
    upstream portal {{
        zone portal 64k;
        least_conn;
{servers}
        keepalive 16;
    }}
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Request-Id $request_id;
    proxy_connect_timeout 2s;
    proxy_read_timeout 60s;
    proxy_next_upstream_tries 4;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{
            proxy_pass http://portal;
            proxy_next_upstream error timeout non_idempotent;
        }}
        location /api/ {{
            proxy_pass http://portal;
            proxy_next_upstream error timeout;
        }}
    }}
}}
"""


@dataclass
class Nginx:
    """The proxy, running from `start` to `stop`."""

    folder: Path
    port: int
    nodes: Sequence[int]

    def start(self) -> None:
        """Begin, and wait until it listens."""
        assert PROGRAM is not None
        self.folder.mkdir()
        config = self.folder / "nginx.conf"
        config.write_text(configuration(self.folder, self.port, self.nodes))
        # As root its workers become somebody else, who must be able to write bodies here.
        command = [PROGRAM, "-c", str(config), "-e", str(self.folder / "error.log"), "-g", "user root;"]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self._process.poll() is not None or (self.folder / "pid").exists(), "nginx listens")
        assert self._process.poll() is None, (self.folder / "error.log").read_text()

    def stop(self) -> None:
        """At once."""
        self._process.terminate()
        self._process.wait()
