"""The 60 that people send: scans, pictures of telephones, and what programs write."""

import io
from collections.abc import Callable
from functools import cache
from typing import Any

import pikepdf
import typst
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import Image

from .. import sample_files as made
from . import JPEG, PDF, PNG, Sample, Samples, pdfs, pictures

_SIZE = (640, 480)


def _sample(make: Callable[[], bytes], name: str, declared: str) -> Callable[[], Sample]:
    return lambda: Sample(make(), name, declared, is_taken=True)


def _jpeg(name: str = "scan.jpg", *, mode: str = "RGB", **how: Any) -> Callable[[], Sample]:
    return _sample(lambda: made.saved(made.written(*_SIZE, mode=mode), "JPEG", **how), name, JPEG)


def _png(convert: Callable[[Image.Image], Image.Image], **how: Any) -> Callable[[], Sample]:
    return _sample(lambda: made.saved(convert(made.written(*_SIZE)), "PNG", **how), "scan.png", PNG)


def _held(orientation: int) -> Callable[[], Sample]:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return _jpeg("IMG_0001.JPG", exif=exif)


def _film() -> bytes:
    return made.jpeg() + b"\0\0\0\x18ftypmp42" + bytes(range(256)) * 400


def _two_pictures() -> bytes:
    """As telephones keep the picture before it was made brighter."""
    out = io.BytesIO()
    made.written(*_SIZE).save(out, "MPO", save_all=True, append_images=[made.written(600, 400)])
    return out.getvalue()


def _clear(image: Image.Image) -> Image.Image:
    plain = image.convert("RGBA")
    plain.putalpha(image.convert("L").point(lambda grey: 255 - grey))
    return plain


@cache
def telephone() -> bytes:
    """48 million dots, as good telephones have them."""
    return made.saved(made.written(800, 600).resize((8_000, 6_000)), "JPEG", quality=60)


@cache
def fine_scan() -> bytes:
    """A4 at 600 dots an inch, in grey."""
    return made.saved(made.written(800, 1_100).convert("L").resize((4_960, 7_016)), "PNG", compress_level=1)


PICTURES: Samples = {
    "JPEG": _jpeg(),
    "grey JPEG": _jpeg(mode="L"),
    "CMYK JPEG": _jpeg(mode="CMYK"),
    "JPEG in scans": _jpeg(progressive=True),
    "JPEG with restarts": _jpeg(restart_marker_blocks=4),
    "JPEG in full colours": _jpeg(subsampling=0, quality=95),
    "JPEG with a resolution": _jpeg(dpi=(300, 300)),
    "JPEG with a profile": _jpeg(icc_profile=b"profile" * 100),
    "JPEG with a remark": _jpeg(comment=b"Scanned by the office's machine"),
    **{f"held the way {orientation}": _held(orientation) for orientation in range(1, 9)},
    "with a film": _sample(_film, "PXL_1.jpg", JPEG),
    "two pictures": _sample(_two_pictures, "IMG_2.jpg", JPEG),
    "with the place": _sample(made.located, "IMG_3.jpeg", JPEG),
    "48 million dots": _sample(telephone, "IMG_4.jpg", JPEG),
    "PNG": _png(lambda image: image),
    "PNG with clear parts": _png(_clear),
    "PNG of a few colours": _png(lambda image: image.convert("P")),
    "PNG of a few colours, one clear": _png(lambda image: image.convert("P"), transparency=0),
    "grey PNG": _png(lambda image: image.convert("L")),
    "grey PNG with clear parts": _png(lambda image: _clear(image).convert("LA")),
    "black and white PNG": _png(lambda image: image.convert("1")),
    "very fine grey": _sample(lambda: made.saved(made.sixteen_bits(), "PNG"), "scan.png", PNG),
    "PNG with a text": _sample(
        lambda: pictures.with_chunk(b"tEXt", b"Software\0Scan 2.1", made.png()), "scan.png", PNG
    ),
    "fine scan": _sample(fine_scan, "scan.png", PNG),
    "PNG named as JPEG": _sample(made.png, "IMG_1.JPG", JPEG),
    "without an ending": _sample(made.jpeg, "scan", "application/octet-stream"),
    "with a name's dot": _sample(made.jpeg, "Passport of J. Smith", JPEG),
}


def _made_by_pillow(count: int) -> bytes:
    return made.saved(made.written(*_SIZE), "PDF", save_all=True, append_images=[made.written(*_SIZE)] * (count - 1))


@cache
def _typeset(standard: str = "") -> bytes:
    source = b'#set document(title: "Letter")\n= Letter\n#link("https://example.com")[our page] #outline()\n'
    standards: Any = [standard] if standard else []
    return bytes(typst.compile(source, pdf_standards=standards))


def _with_links(pdf: Pdf) -> None:
    pdfs.annotated("Link", A=Dictionary(S=Name.URI, URI=String("https://example.com/javascript:")))(pdf)


def _jumping(pdf: Pdf) -> None:
    pdfs.annotated("Link", Dest=Array([pdf.pages[0].obj, Name.Fit]))(pdf)
    pdf.Root.OpenAction = Array([pdf.pages[0].obj, Name.FitH, 800])


def _opening_at_page(pdf: Pdf) -> None:
    pdf.Root.OpenAction = Dictionary(S=Name.GoTo, D=Array([pdf.pages[0].obj, Name.XYZ, 0, 800, 0]))


def _with_outline(pdf: Pdf) -> None:
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem("First", 0))


def _with_metadata(pdf: Pdf) -> None:
    with pdf.open_metadata() as data:
        data["dc:title"] = "Letter"
        data["pdf:Producer"] = "LibreOffice 7.4"


def _with_layers(pdf: Pdf) -> None:
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Notes")))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(Order=Array([layer])))


def _turned(pdf: Pdf) -> None:
    pdf.pages[0].rotate(90, relative=False)


def _filled_in(pdf: Pdf) -> None:
    pdfs.with_field(V=String("Ada Lovelace"), DA=String("/Helv 12 Tf 0 g"))(pdf)


def _ticked(pdf: Pdf) -> None:
    pdfs.with_field("Btn", V=Name.Yes, AS=Name.Yes)(pdf)


def _tagged(pdf: Pdf) -> None:
    root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    root.K = Array([pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))])
    pdf.Root.StructTreeRoot, pdf.Root.MarkInfo = root, Dictionary(Marked=True)


def _with_empty_trees(pdf: Pdf) -> None:
    """As some programs write them for nothing."""
    pdf.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Names=Array([])), Dests=Dictionary(Names=Array([])))
    pdf.pages[0].obj.AA = Dictionary()


def _pdf(make: Callable[[], bytes], name: str = "letter.pdf") -> Callable[[], Sample]:
    return _sample(make, name, PDF)


def _changed(change: Callable[[Pdf], object], **how: Any) -> Callable[[], Sample]:
    return _pdf(lambda: pdfs.changed(change, **how))


PDFS: Samples = {
    "PDF": _pdf(made.pdf),
    "PDF of 30 pages": _pdf(lambda: made.pdf(30)),
    "PDF of 300 pages": _pdf(lambda: made.pdf(300)),
    "scan as PDF": _pdf(lambda: _made_by_pillow(1)),
    "five scans as PDF": _pdf(lambda: _made_by_pillow(5)),
    "typeset": _pdf(_typeset),
    "typeset for all": _pdf(lambda: _typeset("ua-1")),
    "typeset to be kept": _pdf(lambda: _typeset("a-2b")),
    "links": _changed(_with_links),
    "jumps": _changed(_jumping),
    "opening at a page": _changed(_opening_at_page),
    "outline": _changed(_with_outline),
    "metadata": _changed(_with_metadata),
    "layers": _changed(_with_layers),
    "turned": _changed(_turned),
    "form that was filled in": _changed(_filled_in),
    "form with a tick": _changed(_ticked),
    "signed": _pdf(pdfs.signed),
    "tagged": _changed(_tagged),
    "empty trees": _changed(_with_empty_trees),
    "packed": _pdf(lambda: pdfs.packed(_with_links)),
    "for the web": _changed(_with_links, linearize=True),
    "changed later": _pdf(lambda: pdfs.appended([(9, b"<</Type/Annot>>")])),
    "old": _changed(lambda _: None, force_version="1.3"),
    "with a machine's line ends": _pdf(lambda: made.pdf().replace(b" n \n", b" n\r\n").replace(b" f \n", b" f\r\n")),
    "closed to changes": _pdf(lambda: pdfs.encrypted(user="")),
    "filled up": _pdf(lambda: made.pdf() + b"\0" * 4_000),
}

HONEST: dict[str, Samples] = {"pictures": PICTURES, "PDFs": PDFS}
