Result = tuple[str, object]
