"""Runs `main` of a module of ours once Django is loaded: `python -m tests.campaigns.operator MODULE ARGUMENT …`."""

import importlib
import sys

import django

django.setup()
# The nodes keep their key in the database.
importlib.import_module("formation_portal.core.nodes.secret_store").load_secret_key()
importlib.import_module(sys.argv[1]).main(*sys.argv[2:])
