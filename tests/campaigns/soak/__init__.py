"""The soak: customers, relay workers and a service in slight trouble for long. What leaks shows (`make soak`)."""
