"""The portal's own record: applications, answers as typed, parties, shares, documents, history.

It may import `contract` only. It knows no HTTP, neither incoming nor outgoing; whoever wants to know of a change
listens to `signals.changed`, which is sent inside the transaction that made it.
"""
