"""Django's command line."""

import gc
import os
import sys


def main() -> None:
    """Run the management command that the arguments name."""
    # What a start loads stays: to look it through for garbage as often as usual is a tenth of a start.
    gc.set_threshold(10_000)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "formation_portal.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
