"""The one place where a form schema is understood: field types, sections, rules, needs, states.

Imports the standard library, pydantic and libraries of plain data; no Django, no HTTP, no settings, no clock.
The portal and the embedded service judge answers by this same code, so the two cannot drift apart.
"""
