"""Events that the service posts: taken once, in any order, and never believed."""
