"""Deliveries that need an agent: their queue, their words, the message to the provider, and what agents decide."""
