"""Pages of PDFs, by PDFium: without script, forms or anything from elsewhere. Runs in the sandbox only."""

from PIL import Image
from pypdfium2 import PdfDocument, PdfiumError

from .findings import Code, Findings
from .pictures import measured

# More than a person who checks a paper leafs through.
PAGES_TO_READ = 100

# PDFium's codes: no error, and yet no page; a password; a way of protection that it doesn't know.
_REASONS = {0: Code.NO_PAGES, 4: Code.PROTECTED, 5: Code.PROTECTED}
# Points to pixels; a page the size of a stamp needn't fill the screen.
_LARGEST_SCALE = 4.0


def look_at_pdf(content: bytes, side: int, page: int = 1) -> tuple[Findings, Image.Image | None]:
    """What is found in a PDF, and a picture of the page, at most `side` wide and high. Raises PdfiumError."""
    try:
        document = PdfDocument(content)
    except PdfiumError as error:
        if (code := _REASONS.get(error.err_code or 0)) is None:
            raise
        return Findings(codes=(code,)), None
    pages = len(document)
    image = _drawn(document, min(page, pages), side)
    codes = [Code.MANY_PAGES] if pages > PAGES_TO_READ else []
    codes += [code for code in measured(image) if code is Code.BLANK and page == 1]
    return Findings(pages=pages, codes=tuple(codes)), image


def _drawn(document: PdfDocument, page: int, side: int) -> Image.Image:
    drawn = document[page - 1]
    width, height = drawn.get_size()
    scale = min(side / width, side / height, _LARGEST_SCALE)
    image: Image.Image = drawn.render(scale=scale, may_draw_forms=False).to_pil()
    image.thumbnail((side, side))
    return image
