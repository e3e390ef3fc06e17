"""The agents' pages: rooms on the same floor plan as `portal`, which this package never imports."""
