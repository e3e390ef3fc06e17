"""Events that the service posts to us. None is believed: each only makes the relay read again, from the service itself,
what it is about."""
