"""The field types of a form schema, and what one answer needs: parsing, formats, values, countries and currencies.

To add a type: its class (`text`, `choice` or `compound`), its entry in `types`, and its template in `templates/fields`.
This file imports nothing, so that `conditions`, which every field has, can use the package's values.
"""
