"""The WSGI application: for the web server, and for the gateway's calls in the same process."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "formation_portal.settings")

application = get_wsgi_application()
