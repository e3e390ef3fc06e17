"""Every component in every state, drawn from the templates that the pages use. Only where the demo is on."""

from .page import GalleryPage, gallery_page

__all__ = ["GalleryPage", "gallery_page"]
