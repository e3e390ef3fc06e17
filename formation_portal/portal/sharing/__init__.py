"""Working on one application with others: people with access, and parts filled in by invitation."""
