"""Many people and companies in one sheet: the empty one to fill in, and what a filled one holds.

`columns` says what is asked, `uploads` has a file read into a `grid` by `readers` in the sandbox, `rows` validates its
rows against the draft, and `template` writes the empty sheet. Adding its parties is `services.party_imports`.
"""
