"""One party under review: its facts, documents, roles and shares."""
