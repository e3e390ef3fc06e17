"""What is announced when questions show or hide, by the script at once or by the server."""

import re

from django.template.loader import get_template

from formation_portal.portal.difference import announcement


def test_the_script_announces_in_the_words_of_the_server() -> None:
    words = get_template("portal/_announced.html").render()
    for count, form in ((1, "one"), (7, "other")):
        for moved, said in (("added", {"added": count, "removed": 0}), ("removed", {"added": 0, "removed": count})):
            (written,) = re.findall(f'data-{moved}-{form}="([^"]+)"', words)
            assert written.replace("{n}", str(count)) == announcement(**said)
