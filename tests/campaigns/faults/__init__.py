"""The campaign of faults: the relay against a service in trouble, as processes of their own (`make faults`).

What happens before and after processing is the service's own fault plan; what happens on the wire is the proxy's. The
portal's workers are those of production, and nothing in them knows that they are being tested.
"""
