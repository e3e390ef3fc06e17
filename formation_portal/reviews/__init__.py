"""What agents make of what was submitted: checks, remarks, notes and rulings. Pages are the desk's."""
