"""Checking the answers, submitting them, the status afterwards, and what came back for correction."""
