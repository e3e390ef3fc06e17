measure = None
