"""People and companies: the list with their roles, one party's page, duplicates, owners, spreadsheets."""
