"""One truth of what is needed: every page, the desk and the service's refusal say the same of any draft."""
