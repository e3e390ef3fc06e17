"""What customers do, from the catalog to the receipt: each journey is done by keys and without script."""
