"""Who signs in, and who may open which page.

Imports nothing of the other packages. Views anywhere declare their policy with it; it never looks up a record.
"""
