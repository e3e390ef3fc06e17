"""Who uses the pages: a client that only reads them, and somebody with a pointer or with a keyboard."""
