"""What can be formed: the index with its filters, comparing, and one product with its checklist. Open to everybody."""
