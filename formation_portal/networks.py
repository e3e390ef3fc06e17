"""Networks as a setting lists them: 10.0.0.0/8, ::1/128, with commas between."""

import ipaddress

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK = "127.0.0.0/8, ::1/128"


def read(listed: str) -> tuple[Network, ...]:
    """The networks. Raises ValueError."""
    return tuple(ipaddress.ip_network(one.strip()) for one in listed.split(",") if one.strip())
