"""Brings the formation service's record to match ours, exactly once per thing.

It imports contract, gateway and applications; never portal or desk. Saving renews the wishes (`renewal`), only the
worker writes to the service (`worker`), and pages read how far things are (`board`) or wait a moment (`waiting`).
"""
