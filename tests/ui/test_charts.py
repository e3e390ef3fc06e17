"""The bars: widths that follow the shares, and everything said in a sentence."""

from fractions import Fraction

from formation_portal.ui.charts import ownership_bar, share_bar, swatch


def test_widths_follow_the_shares() -> None:
    bar = share_bar("Ordinary", [("Ada", 18_000), ("Nobody", 0), ("Kestrel", 6_000)])
    assert [(one.label, one.figure, one.start, one.width) for one in bar.slices] == [
        ("Ada", "18,000", "0%", "75%"),
        ("Kestrel", "6,000", "75%", "25%"),
    ]


def test_a_holder_keeps_colour_and_pattern_from_the_table() -> None:
    bar = share_bar("Ordinary", [("Ada", 1), ("Nobody", 0), ("Kestrel", 1)])
    assert [one.swatch for one in bar.slices] == [swatch(0), swatch(2)]
    assert len({swatch(index) for index in range(8)}) == 8


def test_thin_slices_join_in_the_bar_but_not_in_the_sentence() -> None:
    bar = share_bar("Ordinary", [("Ada", 980), ("Bob", 10), ("Eve", 10)])
    assert [one.label for one in bar.slices] == ["Ada", "Others"]
    assert bar.sentence == "Ordinary: Ada 98%, Bob 1%, Eve 1%"


def test_a_part_without_a_known_owner_is_said_and_drawn_last() -> None:
    bar = ownership_bar("Shares", [("Ada", Fraction(1, 4), 25_00)], rest=75_00)
    assert bar.sentence == "Shares: Ada 25%, 75% unknown owner"
    assert [(one.label, one.width) for one in bar.slices] == [("Ada", "25%"), ("Unknown owner", "75%")]


def test_words_are_drawn_only_where_they_fit() -> None:
    bar = share_bar("Ordinary", [("Ada", 65_000_000), ("Seán-Pádraig O’Súilleabháin", 22_000_000), ("X", 13_000_000)])
    assert [(one.label_from, one.figure_from) for one in bar.slices] == [
        ("from-narrow", "from-narrow"),
        ("never", "from-medium"),
        ("from-narrow", "from-wide"),
    ]
