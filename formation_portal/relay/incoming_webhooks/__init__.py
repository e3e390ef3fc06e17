"""Events that the service posts to us. Each is a hint that something has happened there, and never believed: what it is
about is read from the service itself."""
