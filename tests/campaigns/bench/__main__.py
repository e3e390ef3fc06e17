"""Measure, and print a line for each figure; ends with 1 where one misses its goal, and says which.

`CI_SMALL=1` takes few rounds: that run only tests the benchmark itself, and holds nothing against its goals.

Everything happens in a data folder of its own, with SQLite, in this process; `start_again` starts the real server.
"""

import os
import sys
from fnmatch import fnmatch

from tests.campaigns.bench import say
from tests.campaigns.environment import load_django, scratch_folder

# By the name of a figure, or a pattern; the first that fits counts.
AT_MOST = {
    # Processor time against the signed-in page that does nothing.
    "section_60_fields_against_nothing": 6.0,
    "section_60_fields_answered_against_nothing": 6.0,
    "dependent_update_60_against_nothing": 8.0,
    "dependent_update_60_answered_against_nothing": 8.0,
    "dependent_update_1000_against_60": 2.0,
    "dependent_update_1000_against_60_answered": 2.0,
    "catalog_against_nothing": 5.0,
    "overview_against_nothing": 5.0,
    "people_against_nothing": 5.0,
    "case_against_nothing": 10.0,
    # Milliseconds with 150 parties. A change reads and evaluates the whole application before it and after it.
    "parties_check_all_150": 250.0,
    "parties_*change_150": 250.0,
    "parties_*party_added_150": 250.0,
    "parties_*party_removed_150": 250.0,
    "parties_*_150": 100.0,
    # With 200 parties and 100 rules across answers, and with 20 rules against none.
    "validations_100_people_200": 250.0,
    "validations_100_section_200": 250.0,
    "validations_20_section*_against_none": 1.3,
    # Ten times the applications.
    "applications_*_growth": 1.2,
    "desk_*_growth_by_ten": 1.2,
    # A hundred times.
    "desk_*_growth": 1.5,
}
AT_LEAST = {"django_form_40_against_section_60": 6.0}


def main() -> None:
    with scratch_folder("bench") as folder:
        load_django(folder, "tests.campaigns.bench.settings", RELAY_WAIT_MS="0", LOG_LEVEL="ERROR")
        from tests.campaigns.bench.measures import all_measures

        small, missed = bool(os.environ.get("CI_SMALL")), list[str]()
        for name, value, unit in all_measures(small=small):
            say(name, value, unit)
            most = next((most for pattern, most in AT_MOST.items() if fnmatch(name, pattern)), value)
            if value > most:
                missed.append(f"{name} is {value:.3g}, at most {most:g} is wanted")
            if value < AT_LEAST.get(name, value):
                missed.append(f"{name} is {value:.3g}, at least {AT_LEAST[name]:g} is wanted")
        if missed and not small:
            sys.exit("Missed: " + "; ".join(missed))


main()
