"""Events on their way to whoever subscribed: fanned out where they happen, sent by a thread beside the worker."""
