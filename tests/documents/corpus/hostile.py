"""The 120 that mean harm, in eleven classes."""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

from pikepdf import Array, Dictionary, Name, String
from PIL import Image

from .. import sample_files as made
from ..scanners import MARK as MALWARE
from . import JPEG, MARK, PDF, PNG, Sample, Samples, pdfs, pictures
from .honest import HONEST

EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
_SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>" + MARK
_EXE = b"MZ\x90\x00\x03" + b"\0" * 200


def _refused(make: Callable[[], bytes], name: str, declared: str) -> Callable[[], Sample]:
    return lambda: Sample(make(), name, declared)


def _pdf(make: Callable[[], bytes]) -> Callable[[], Sample]:
    return _refused(make, "passport.pdf", PDF)


def _doing(change: Any) -> Callable[[], Sample]:
    return _pdf(lambda: pdfs.changed(change))


def _jpeg(make: Callable[[], bytes]) -> Callable[[], Sample]:
    return _refused(make, "passport.jpg", JPEG)


def _png(make: Callable[[], bytes]) -> Callable[[], Sample]:
    return _refused(make, "passport.png", PNG)


def _taken(make: Callable[[], bytes], name: str, declared: str) -> Callable[[], Sample]:
    return lambda: Sample(make(), name, declared, is_taken=True)


TYPE_MISMATCH: Samples = {
    "page as PDF": _pdf(lambda: pictures.PAGE),
    "SVG as PNG": _png(lambda: _SVG),
    "program as JPEG": _jpeg(lambda: _EXE),
    "archive as PDF": _pdf(pictures.archive),
    "script as JPEG": _jpeg(lambda: b"alert(1)//" + b" " * 100),
    "page with a PDF's mark in it": _pdf(lambda: b"<!doctype html>%PDF-1.7\n" + made.pdf()),
    "PNG named as page": _refused(made.png, "x.html", PNG),
    "PDF named as SVG": _refused(made.pdf, "x.svg", PDF),
    "JPEG named as program": _refused(made.jpeg, "x.exe", JPEG),
    "PDF named as script behind an ending": _refused(made.pdf, "passport.pdf.js", PDF),
    "PNG declared as page": _taken(made.png, "passport.png", "text/html"),
    "PDF declared as SVG": _taken(made.pdf, "passport.pdf", "image/svg+xml"),
}

POLYGLOT: Samples = {
    "page behind JPEG": _jpeg(lambda: made.jpeg() + pictures.PAGE),
    "archive behind PNG": _png(lambda: made.png() + pictures.archive()),
    "archive behind PDF": _pdf(lambda: made.pdf() + pictures.archive()),
    "page in a JPEG's comment": _jpeg(lambda: pictures.with_segment(0xFE, pictures.PAGE)),
    "page in a PNG's text": _png(lambda: pictures.with_chunk(b"tEXt", b"Comment\0" + pictures.PAGE)),
    "PDF in a JPEG's comment": _jpeg(lambda: pictures.with_segment(0xFE, made.pdf())),
    "JPEG as script": _jpeg(pictures.as_script),
    "page in a PDF's head": _pdf(lambda: made.pdf().replace(b"%\xe2", b"%" + pictures.PAGE + b"\n%\xe2", 1)),
    "archive in a PNG's chunk": _png(lambda: pictures.with_chunk(b"prVt", pictures.archive(), made.png(100, 80))),
    "program of a server in a JPEG": _jpeg(lambda: pictures.with_segment(0xE1, b"<?php system($_GET[0]) ?>")),
}

ACTIVE_PDF: Samples = {
    "script on opening": _doing(lambda pdf: pdfs.opening(pdfs.script())(pdf)),
    "program on opening": _doing(
        lambda pdf: pdfs.opening(Dictionary(S=Name.Launch, F=String("cmd.exe"), Win=Dictionary(F=String("cmd.exe"))))(
            pdf
        )
    ),
    "printing on opening": _doing(lambda pdf: pdfs.opening(Dictionary(S=Name.Named, N=Name.Print))(pdf)),
    "script behind a jump": _doing(
        lambda pdf: pdfs.opening(Dictionary(S=Name.GoTo, D=Array([0, Name.Fit]), Next=pdfs.script()))(pdf)
    ),
    "named scripts": _doing(pdfs.named_scripts),
    "script of a page": _doing(pdfs.with_page_action),
    "script of a link": _doing(lambda pdf: pdfs.annotated("Link", A=pdfs.script())(pdf)),
    "script of a field": _doing(lambda pdf: pdfs.with_field(AA=Dictionary(K=pdfs.script()))(pdf)),
    "sending a form": _doing(
        lambda pdf: pdfs.with_field("Btn", A=Dictionary(S=Name.SubmitForm, F=String("https://x.example")))(pdf)
    ),
    "taking in data": _doing(
        lambda pdf: pdfs.with_field("Btn", A=Dictionary(S=Name.ImportData, F=String("x.fdf")))(pdf)
    ),
    "XFA": _doing(pdfs.with_xfa),
    "attachment": _doing(pdfs.with_attachment),
    "file behind a paper clip": _doing(pdfs.attached_to_page),
    "another file's attachment": _doing(
        lambda pdf: pdfs.annotated("Link", A=Dictionary(S=Name.GoToE, T=Dictionary(R=Name.C, N=String("x"))))(pdf)
    ),
    "rich media": _doing(lambda pdf: pdfs.annotated("RichMedia", RichMediaContent=Dictionary())(pdf)),
    "three dimensions": _doing(lambda pdf: pdfs.annotated("3D")(pdf)),
    "film": _doing(lambda pdf: pdfs.annotated("Screen", A=Dictionary(S=Name.Rendition, OP=0))(pdf)),
    "link to a script": _doing(
        lambda pdf: pdfs.annotated("Link", A=Dictionary(S=Name.URI, URI=String("JavaScript:alert(1)")))(pdf)
    ),
    "script in a packed stream": _pdf(lambda: pdfs.packed(lambda pdf: pdfs.named_scripts(pdf))),
    "script with escaped names": _pdf(pdfs.with_escaped_names),
}

IMAGE_FLOOD: Samples = {
    "2,500 million dots": _png(made.bomb),
    "900 million dots": _png(lambda: pictures.claiming(30_000, 30_000)),
    "a line without end": _png(lambda: pictures.claiming(2**31 - 1, 1)),
    "61 million dots": _png(lambda: pictures.blank_png(7_820, 7_820)),
    "45 million coloured dots": _png(lambda: pictures.claiming(9_000, 5_000)),
    "a JPEG's 4,000 million dots": _jpeg(lambda: pictures.sized(65_500, 65_500)),
    "50 million dots in scans": _jpeg(lambda: pictures.sized(8_000, 6_200, progressive=True)),
    "10,000 frames": _png(lambda: pictures.animated(10_000)),
    "two frames": _png(lambda: pictures.animated(2)),
    "a text that unfolds": _png(lambda: pictures.with_chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(100_000_000), 9))),
}


def _without_end(content: bytes, end: bytes) -> bytes:
    return content[: content.rindex(end) - (4 if end == b"IEND" else 0)]


def _with_wrong_sum() -> bytes:
    content = bytearray(made.png(400, 300))
    content[content.index(b"IDAT") + 30] ^= 0xFF
    return bytes(content)


CUT_OR_CORRUPT: Samples = {
    "half a JPEG": _jpeg(lambda: made.jpeg()[: len(made.jpeg()) // 2]),
    "half a PNG": _png(lambda: made.png()[: len(made.png()) // 2]),
    "half a PDF": _pdf(lambda: made.pdf(20)[:2_000]),
    "JPEG without an end": _jpeg(lambda: _without_end(made.jpeg(), b"\xff\xd9")),
    "PNG without an end": _png(lambda: _without_end(made.png(), b"IEND")),
    "a JPEG's head alone": _jpeg(lambda: made.jpeg()[:300]),
    "PNG with a wrong sum": _png(_with_wrong_sum),
    "PNG without pixels": _png(lambda: pictures.PNG_START + pictures.chunk(b"IEND", b"") + b"\0" * 99),
    "PDF without a table": _pdf(lambda: made.pdf()[: made.pdf().index(b"xref\n0")] + b"%%EOF"),
    "PDF whose table is elsewhere": _pdf(lambda: made.pdf().replace(b"startxref\n", b"startxref\n1")),
    "PDF with a stream longer than it says": _pdf(pdfs.with_wrong_length),
    "PDF whose pages are in a ring": _pdf(lambda: made.pdf().replace(b"/Kids[4 0 R]", b"/Kids[2 0 R]")),
}


def _picture(kind: str) -> bytes:
    return made.saved(made.written(400, 300), kind)


FOREIGN_FORMAT: Samples = {
    "GIF": _refused(lambda: _picture("GIF"), "x.gif", "image/gif"),
    "GIF as PNG": _png(lambda: _picture("GIF")),
    "BMP": _jpeg(lambda: _picture("BMP")),
    "TIFF": _jpeg(lambda: _picture("TIFF")),
    "WebP": _jpeg(lambda: _picture("WEBP")),
    "HEIC": _jpeg(lambda: b"\0\0\0\x18ftypheic" + b"\0" * 200),
    "EPS": _pdf(lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n(%PDF-1.7) show\n" + b" " * 100),
    "text document": _refused(pictures.archive, "x.docx", "application/msword"),
    "old text document": _pdf(lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600),
    "page": _refused(lambda: pictures.PAGE, "x.html", "text/html"),
}


def _noted(build: Callable[[Image.Exif], object], **how: Any) -> bytes:
    exif = Image.Exif()
    build(exif)
    return made.saved(made.written(1200, 900), "JPEG", exif=exif, **how)


def _set_place(exif: Image.Exif) -> None:
    exif[0x010E] = MARK.decode()
    exif.get_ifd(0x8825).update({1: "N", 2: (46.0, 57.0, 5.0), 3: "E", 4: (7.0, 27.0, 0.0)})


METADATA: Samples = {
    "the place": _taken(lambda: _noted(_set_place), "passport.jpg", JPEG),
    "a script as description": _taken(
        lambda: _noted(lambda exif: exif.update({0x010E: f"javascript:alert(1) {MARK.decode()}"})), "passport.jpg", JPEG
    ),
    "broken notes": _taken(
        lambda: pictures.with_segment(0xE1, b"Exif\0\0II*\0\xff\xff\xff\xff" + MARK, made.jpeg()), "passport.jpg", JPEG
    ),
    "a comment": _taken(lambda: pictures.with_segment(0xFE, MARK * 100, made.jpeg()), "passport.jpg", JPEG),
    "a PNG's text": _taken(lambda: pictures.with_chunk(b"tEXt", b"Author\0" + MARK, made.png()), "passport.png", PNG),
    "a profile that unfolds": _png(
        lambda: pictures.with_chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(30_000_000) + MARK, 9), made.png())
    ),
}

_NAMES = (
    *("../../../etc/passwd", "/etc/cron.d/x", "C:\\Windows\\x.pdf", "..\\..\\web.config", "a\r\nSet-Cookie: a=b.pdf"),
    *('x".pdf; filename="y', "x\x00.pdf", "passport\u202efdp.pdf", "x" * 300 + ".pdf", "y" * 5_000, ".htaccess"),
    *("CON.pdf", "-rf.pdf", "<img src=x onerror=alert(1)>.pdf", "{{7*7}}${7*7}.pdf", "=cmd|' /C calc'!A0.pdf"),
    *("$(touch x);`id`.pdf", "%2e%2e%2f%00.pdf", "x.pdf::$DATA", "passport.exe.pdf"),
)
FILE_NAME: Samples = {
    f"{number}: {name[:20]!a}": _taken(made.pdf, name, PDF)
    if not name.endswith(".exe.pdf")
    else _refused(made.pdf, name, PDF)
    for number, name in enumerate(_NAMES, start=1)
}

LIMIT = 10_000_000
SIZE_EDGE: Samples = {
    "nothing": _pdf(lambda: b""),
    "one byte": _pdf(lambda: b"%"),
    "a mark alone": _pdf(lambda: b"%PDF-1.7\n"),
    "a byte too many": _pdf(lambda: made.pdf().ljust(LIMIT + 1, b"\n")),
    "twice the limit": _jpeg(lambda: made.jpeg().ljust(2 * LIMIT, b"\0")),
    "5,000 pages": _pdf(lambda: made.pdf(5_000)),
    "a stream that is packed three times": _pdf(pdfs.with_nested_filters),
    "objects that unfold into 300 MB": _pdf(pdfs.with_object_bomb),
}

MALWARE_TEST: Samples = {
    "in a PDF": _pdf(lambda: made.pdf(text=MALWARE.decode())),
    "in a JPEG's comment": _jpeg(lambda: pictures.with_segment(0xFE, MALWARE)),
    "behind a JPEG": _jpeg(lambda: made.jpeg() + MALWARE),
    "in a PNG's chunk": _png(lambda: pictures.with_chunk(b"tEXt", b"Comment\0" + MALWARE)),
    "EICAR as PDF": _pdf(lambda: EICAR),
    "EICAR": _refused(lambda: EICAR, "eicar.com", "application/octet-stream"),
}


def _body(*parts: bytes, boundary: str = "edge", end: bytes = b"--edge--\r\n") -> tuple[str, bytes]:
    whole = b"".join(b"--edge\r\n" + part + b"\r\n" for part in parts)
    return f"multipart/form-data; boundary={boundary}", whole + end


def _part(content: bytes, *more: bytes, disposition: bytes = b'form-data; name="file"; filename="x.pdf"') -> bytes:
    return b"\r\n".join((b"Content-Disposition: " + disposition, *more, b"", content))


_SLOT = b'Content-Disposition: form-data; name="slot"\r\n\r\n{slot}'


def _trick(*parts: bytes, **how: Any) -> Sample:
    return Sample(body=_body(_SLOT, *parts, **how), is_taken=True)


# Taken or not: whatever comes of it is judged by its content, as any other file.
MULTIPART_TRICK: Samples = {
    "two names": lambda: _trick(
        _part(made.pdf(), disposition=b'form-data; name="file"; filename="x.pdf"; filename="y.html"')
    ),
    "a second name in another spelling": lambda: _trick(
        _part(made.pdf(), disposition=b'form-data; name="file"; filename="x.pdf"; filename*=utf-8\'\'%2e%2e%2fy.html')
    ),
    "two files": lambda: _trick(
        _part(made.pdf()), _part(pictures.PAGE, disposition=b'form-data; name="file"; filename="y.html"')
    ),
    "a page's type": lambda: _trick(_part(made.pdf(), b"Content-Type: text/html; charset=utf-7")),
    "without an end": lambda: _trick(_part(made.pdf()), end=b""),
    "packed in letters": lambda: _trick(_part(b" " * 3_000 + b"PGh0bWw+", b"Content-Transfer-Encoding: base64")),
}

HOSTILE: dict[str, Samples] = {
    "type mismatch": TYPE_MISMATCH,
    "polyglot": POLYGLOT,
    "active PDF": ACTIVE_PDF,
    "image flood": IMAGE_FLOOD,
    "cut or corrupt": CUT_OR_CORRUPT,
    "foreign format": FOREIGN_FORMAT,
    "metadata": METADATA,
    "file name": FILE_NAME,
    "size edge": SIZE_EDGE,
    "malware test": MALWARE_TEST,
    "multipart trick": MULTIPART_TRICK,
}


def files_for_the_sandbox() -> Iterator[tuple[str, bytes, str]]:
    """Each file, hostile or honest, that reaches the sandbox: class and name, content and type."""
    types = {b"%PDF-": PDF, b"\xff\xd8\xff": JPEG, b"\x89PNG": PNG}
    for group, samples in {**HOSTILE, **HONEST}.items():
        for label, make in samples.items():
            content = make().content
            mime_type = next((kind for mark, kind in types.items() if content.startswith(mark)), "")
            if mime_type and len(content) <= LIMIT:
                yield f"{group}: {label}", content, mime_type
