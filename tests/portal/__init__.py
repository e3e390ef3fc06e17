"""The customers’ pages and the parts they are built of."""
