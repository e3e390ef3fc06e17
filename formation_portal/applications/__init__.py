"""The portal's own record: applications, answers as typed, parties, shares, documents, history.

`models` are the tables, `draft` loads an application whole, `services` holds every write. It knows no HTTP, neither
incoming nor outgoing. Who listens to a change stands in `core.subscribers`, called inside the transaction that made it.
"""
