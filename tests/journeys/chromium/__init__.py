"""What customers do in Chromium, with script and without."""
