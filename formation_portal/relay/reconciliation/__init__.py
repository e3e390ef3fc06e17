"""What became of a call in doubt: found out from the service's own records, without an agent where that is possible."""
