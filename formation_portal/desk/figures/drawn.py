"""The colour and the pattern that each side keeps through all tables, and those of a bar that stands alone."""

from formation_portal.statistics.dimensions import Side
from formation_portal.ui.charts import swatch

SWATCHES = {side: swatch(place) for place, side in enumerate(Side)}
ALONE = swatch(0)
