"""What every package may use: databases, storage, networks, background threads, localisation, middleware.

It imports no other package, but for two modules: `subscribers` calls them when something happens, and `error_handling`
draws the portal's pages (Django loads it by its name, see urls.py).
"""
