"""What an uploaded file is: opened by processes of its own, with limits, and told in facts and small pictures.

Files come from anybody. So no other process of the house decodes one: `asking` hands it to a workshop, which forks for
each file a process that may use little memory, little time and no disk. Imports nothing of the house.
"""
