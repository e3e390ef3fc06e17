"""Pages with questions: how they are drawn and saved, and the sections about the entity itself."""
