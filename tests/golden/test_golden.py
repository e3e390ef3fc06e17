"""Every page and every fragment is drawn as it is stored in the folder beside this module."""

import pytest

from tests.access.world import undone
from tests.golden.album import Album
from tests.golden.golden_world import GoldenWorld
from tests.golden.scenes import SCENES, Scene

pytestmark = [pytest.mark.usefixtures("_quiet"), pytest.mark.xdist_group("golden")]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_pages_are_drawn_as_they_are_stored(golden: GoldenWorld, scene: Scene) -> None:
    album = Album(scene.__name__, golden.volatile)
    with undone(*golden.world.browsers.values()):
        scene(golden, album)
    album.check()
