"""The Formation Portal."""

# As in pyproject.toml, which an image does not have.
VERSION = "0.1.0"
