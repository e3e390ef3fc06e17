"""The machines of a cluster: nodes, the servers that they share, the proxy before them, and what is done to them."""
