"""The audit log as a timeline, each entry, and all of it as CSV."""
