"""The URLs of collaborators and invitations, and of guests' parts, which contain the invitation's reference."""

from django.urls import path

from . import guest_views, views

urlpatterns = [
    path("invitation/", guest_views.part_link, name="part_link"),
    path("part/<str:reference>/", guest_views.PartView.as_view(), name="part"),
    path("part/<str:reference>/code/", guest_views.part_code, name="part_code"),
    path("part/<str:reference>/renewal/", guest_views.part_renewal, name="part_renewal"),
    path(
        "part/<str:reference>/changes/<int:number>/restoration/",
        guest_views.PartChoiceRestorationView.as_view(),
        name="part_choice_restoration",
    ),
    path("part/<str:reference>/completion/", guest_views.part_completion, name="part_completion"),
    path("part/<str:reference>/leave/", guest_views.part_leave, name="part_leave"),
    path("part/<str:reference>/documents/<int:number>/", guest_views.part_document, name="part_document"),
    path(
        "part/<str:reference>/documents/<int:number>/removal/",
        guest_views.part_document_removal,
        name="part_document_removal",
    ),
    path("collaboration/", views.collaboration, name="collaboration"),
    path("collaboration/link/", views.collaboration_link, name="collaboration_link"),
]

application = [
    path("access/", views.access, name="access"),
    path("access/<int:number>/", views.collaborator, name="collaborator"),
    path("access/<int:number>/removal/", views.collaborator_removal, name="collaborator_removal"),
    path("people/<str:token>/invitation/", views.invitation, name="invitation"),
    path("people/<str:token>/invitation/withdrawal/", views.invitation_withdrawal, name="invitation_withdrawal"),
    path("people/<str:token>/invitation/reminder/", views.invitation_reminder, name="invitation_reminder"),
]
