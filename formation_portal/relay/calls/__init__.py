"""One call to the service: how each kind of resource is sent, the call itself, and what is recorded of its answer."""
