"""Questions as they are drawn, and what a post of them says. Not Django's forms: the contract reads answers."""
