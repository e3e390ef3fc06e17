"""Who works on a cluster: customers and agents with the browsers that they use, in threads or by locust."""
