"""Deliveries to the formation service that only an agent can resolve."""
