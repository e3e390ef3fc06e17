"""Many people and companies in one sheet: the empty one to fill in, and what a filled one says.

`columns` says what is asked, `readers` and `readers` read a file into a `grid`, `rows` judges its rows as the draft
stands, and `template` writes the empty sheet. Nothing here changes an application: that is `services.party_imports`.
"""
