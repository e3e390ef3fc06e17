from django.urls import path

from .. import restorations
from . import views

application = [
    path("sections/<str:key>/", views.SectionView.as_view(), name="section"),
    path("replies/", views.replies, name="replies"),
    path("changes/<int:number>/restoration/", restorations.ChoiceRestorationView.as_view(), name="choice_restoration"),
]
