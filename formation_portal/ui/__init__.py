"""What portal and desk draw with: questions and their forms, answers read back, files, charts, words and numbers."""
