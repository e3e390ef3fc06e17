"""The catalog of the embedded service: one data file a product, what several share stands once, and its loader."""
