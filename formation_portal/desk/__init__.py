"""The agents' pages: the queue of what was submitted, one application whole, and what nobody else can settle.

All for reading only, but for the decisions about what is in doubt at the formation service.

On the same floor plan as `portal`, which it doesn't import; both stand on `applications` and `relay`.
"""
