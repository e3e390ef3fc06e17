"""What the figures of a request's cost have to keep: processor time against the signed-in page that does nothing."""

AT_MOST = {
    "section_60_fields_against_nothing": 4.0,
    "section_60_fields_answered_against_nothing": 5.0,
    "dependent_update_60_against_nothing": 6.0,
    "dependent_update_60_answered_against_nothing": 6.0,
    "dependent_update_1000_against_60": 2.0,
    "dependent_update_1000_against_60_answered": 2.0,
    "catalog_against_nothing": 5.0,
    "overview_against_nothing": 5.0,
    "people_against_nothing": 5.0,
    "case_against_nothing": 10.0,
}
AT_LEAST = {"django_form_40_against_section_60": 10.0}


def missed(name: str, value: float) -> str:
    """What to say of a figure that misses its goal; nothing of one that keeps it, or has none."""
    if value > AT_MOST.get(name, value):
        return f"{name} is {value:.3g}, at most {AT_MOST[name]:g} is wanted"
    if value < AT_LEAST.get(name, value):
        return f"{name} is {value:.3g}, at least {AT_LEAST[name]:g} is wanted"
    return ""
