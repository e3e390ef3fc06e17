"""Being written by another developer (see BUGS.md)."""
