"""The catalog of the embedded service: one data file a product, what several share is written once, and its loader."""
