"""What an uploaded file is: opened by processes of its own, with limits, and told in facts and small pictures.

Files come from anybody. So no other process of ours decodes one: `sandbox` has it done by a process that may use
little memory, little time and no disk. Reading spreadsheets and typesetting records are done there too. Imports
nothing of the other packages.
"""
