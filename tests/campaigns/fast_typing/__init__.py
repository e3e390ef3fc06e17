"""Fast typing while answers are late: nothing that was typed is lost, and nothing moves meanwhile."""
