"""A small cluster on this machine: web nodes and workers behind nginx on PostgreSQL, Redis or Valkey and an S3 server.

Each node is a process group with a DATA_DIR of its own, started by the portal's own commands. Customers and agents work
on it as people do (`people.py`), nodes and servers are killed and taken away meanwhile, and in the end what people were
told is compared with the database, the bucket and the service's record (`comparing.py`). `make scale` is all of it, and
`test_cluster.py` the same in small.
"""
