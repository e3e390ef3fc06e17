"""How a request reaches the service: over the network, or within the same process."""
