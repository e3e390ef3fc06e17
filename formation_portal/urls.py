"""The site's URLs."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("formation_portal.accounts.urls")),
    path("desk/", include("formation_portal.desk.urls")),
    path("workbench/", include("formation_portal.desk.workbench.urls")),
    path("api/", include("formation_portal.service.urls")),
    path("", include("formation_portal.portal.urls")),
]

handler400 = "formation_portal.core.error_handling.bad_request"
handler500 = "formation_portal.core.error_handling.server_error"
