"""`manage.py probe_service`: what a formation service honours, found out with a test entity."""
