"""What keeps people out of a page, looked for in Chromium on every page and state."""
