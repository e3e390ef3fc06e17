"""What portal and desk draw with."""
