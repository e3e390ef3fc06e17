"""What agents do in Chromium."""
