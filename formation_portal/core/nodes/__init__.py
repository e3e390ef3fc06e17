"""Manage the nodes of an installation: shared secrets, versions, and notifications between nodes."""
