"""Make the formation service's records match the portal's, and create no record twice. Start with README.md."""
