"""From the catalog to the formation service: what it holds in the end is what was typed."""
