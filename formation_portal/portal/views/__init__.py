"""One module a page. A view finds, calls once, and renders or redirects; what a page shows is worked out beside it."""
