"""Make the formation service's records match ours, and create no record twice. Start with README.md."""
