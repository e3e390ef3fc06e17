"""Uploaded files: what they are, what is wrong with them, and pictures of their pages.

Anybody may upload anything, so no other process of ours opens one: `sandbox` has it done by a process with little
memory, little time and no disk. Spreadsheets are read and records typeset there too. Imports no other package.
"""
