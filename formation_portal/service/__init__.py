"""The embedded formation service: catalog, entities, parties, shares and documents behind an HTTP interface.

It may import the contract, Django and django-ninja; it keeps its tables under the database alias `service`. It never
imports the portal, the gateway, the applications, the relay or the desk: to them it is as far away as any other make.
"""
