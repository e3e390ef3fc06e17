"""The documents of an application: every slot, looking at a file, downloading it."""
