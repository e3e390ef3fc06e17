"""What the forms that accept facts post."""

from django.http import QueryDict

from formation_portal.reviews.targets import Target

# No page shows more facts.
_MOST_PLACES = 2_000


def places_in(post: QueryDict) -> tuple[Target, ...]:
    """The ticked places, or, by the button that accepts all, those that the page had left; what names none is passed
    over."""
    texts = post.getlist("left" if "all" in post else "place")[:_MOST_PLACES]
    found = (Target.parse(text) for text in texts)
    return tuple(dict.fromkeys(place for place in found if place is not None))
