"""Decisions about a case, and their confirmation by a second agent."""
