"""The statistics of the desk: tables with small charts, each also as CSV. `formation_portal.statistics` counts."""
