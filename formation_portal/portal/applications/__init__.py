"""A customer's applications: the list, one at a glance, copies and transfer to another product, e-mails about it."""
