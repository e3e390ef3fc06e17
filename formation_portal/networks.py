"""Networks as a setting lists them: 10.0.0.0/8, ::1/128, with commas between."""

import ipaddress

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK = "127.0.0.0/8, ::1/128"
# What a server listens at that answers to "localhost": loopback, or every address.
_LOCALHOST = ("127.0.0.1", "::1", "0.0.0.0", "::")  # noqa: S104  # compared only


def read(listed: str) -> tuple[Network, ...]:
    """The networks. Raises ValueError, without what was listed."""
    try:
        return tuple(ipaddress.ip_network(one.strip()) for one in listed.split(",") if one.strip())
    except ValueError:
        raise ValueError("should be networks like 10.0.0.0/8 or ::1/128, with commas between") from None


def origin(host: str, port: int) -> str:
    """How a browser on this machine reaches a server that listens at that address."""
    if host in _LOCALHOST:
        return f"http://localhost:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
