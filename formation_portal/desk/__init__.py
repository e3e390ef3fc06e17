"""The agents' pages: the queue of what was submitted, and one application whole. For reading only.

On the same floor plan as `portal`, which it doesn't import; both stand on `applications` and `relay`.
"""
