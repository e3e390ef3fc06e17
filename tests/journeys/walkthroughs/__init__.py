"""Journeys written once and done in every mode: what customers do, from the catalog to the last e-mail.

"With script" and "without" are done with a pointer, "keys" by keyboard alone with script, and "keys, none" by keyboard
alone without it; "both" are 320 and 1280 px. `modes.py` names these modes, and `test_table.py` compares this table with
the tests, and each test with the modes. A few are done in one mode in every run, all of them in `make test-long`.

| Part | Journey | With script | Without | Keys | Keys, none |
|---|---|---|---|---|---|
| 2 | the list is narrowed and two products are compared | both | both | both | both |
| 2 | a product is read with its checklist and started after signing in | both | both | both | both |
| 3 | a section is answered and saved | both | both | both | both |
| 3 | a choice opens a question and it is said why it is asked | both | both | both | both |
| 3 | a choice makes people inactive is undone is made again and restores them | both | both | both | both |
| 4 | a known person takes a role in one press is removed and restored | both | both | both | both |
| 4 | one adds oneself in one press | both | both | both | both |
| 4 | one adds oneself with the name filled in | both | both | both | both |
| 4 | whoever is here twice becomes one | both | both | both | both |
| 4 | a spreadsheet is downloaded filled in corrected and confirmed | both | both | both | both |
| 5 | somebody is invited opens the link with a code and does their part | both | both | both | both |
| 5 | an invitation is reminded of sent again expires and is withdrawn | both | both | both | both |
| 5 | a colleague is invited edits then only reads and is removed | both | both | both | both |
| 5 | two people write in one section and nothing is overwritten unseen | both | both | both | both |
| 6 | a class is defined too many shares are given and split equally | both | both | both | both |
| 6 | a company is followed to its owners and one becomes a beneficial owner | both | both | both | both |
| 7 | a document is uploaded looked at replaced and removed | both | both | both | both |
| 7 | a document of another application is used again | both | both | both | both |
| 8 | answers are checked changed and submitted and the receipt follows | both | both | both | both |
| 8 | what came back is corrected and sent in one go | both | both | both | both |
| 8 | an application is withdrawn | both | both | both | both |
| 9 | answers are carried over to another product | both | both | both | both |
| 9 | a changed form is taken over on consent | both | both | both | both |
| 9 | an application is copied exported and deleted | both | both | both | both |
"""
