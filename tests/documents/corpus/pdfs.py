"""PDFs that do something, hide something or are broken, and good ones, by pikepdf and by hand."""

import io
import re
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from .. import sample_files as made

Change = Callable[[Pdf], object]


def changed(change: Change, *, pages: int = 1, **how: Any) -> bytes:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(made.pdf(pages))) as pdf:
        change(pdf)
        pdf.save(out, **how)
    return out.getvalue()


def packed(change: Change) -> bytes:
    """The same with its objects in compressed streams."""
    return changed(change, object_stream_mode=pikepdf.ObjectStreamMode.generate, compress_streams=True)


def script(**more: Any) -> Dictionary:
    return Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"), **more)


def opening(action: Any) -> Change:

    def change(pdf: Pdf) -> None:
        pdf.Root.OpenAction = action

    return change


def annotated(kind: str, **more: Any) -> Change:

    def change(pdf: Pdf) -> None:
        note = Dictionary(Type=Name.Annot, Subtype=Name(f"/{kind}"), Rect=Array([0, 0, 50, 50]))
        for name, value in more.items():
            note[f"/{name}"] = value
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(note)])

    return change


def named_scripts(pdf: Pdf) -> None:
    pdf.Root.Names = Dictionary(JavaScript=Dictionary(Names=Array([String("a"), pdf.make_indirect(script())])))


def with_page_action(pdf: Pdf) -> None:
    pdf.pages[0].obj.AA = Dictionary(O=script())


def with_field(field_type: str = "Tx", **more: Any) -> Change:

    def change(pdf: Pdf) -> None:
        field = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name(f"/{field_type}"),
            T=String("name"),
            Rect=Array([9, 9, 99, 30]),
        )
        for name, value in more.items():
            field[f"/{name}"] = value
        kept = pdf.make_indirect(field)
        pdf.pages[0].obj.Annots = Array([kept])
        pdf.Root.AcroForm = Dictionary(Fields=Array([kept]), NeedAppearances=True)

    return change


def with_xfa(pdf: Pdf) -> None:
    """A form of another language than PDF's."""
    pdf.Root.AcroForm = Dictionary(
        Fields=Array([]), XFA=Stream(pdf, b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'/>")
    )


def with_attachment(pdf: Pdf) -> None:
    pdf.attachments["setup.exe"] = b"MZ\x90\x00"


def attached_to_page(pdf: Pdf) -> None:
    inner = Stream(pdf, b"MZ\x90\x00")
    file = Dictionary(Type=Name.Filespec, F=String("x.exe"), EF=Dictionary(F=inner))
    annotated("FileAttachment", FS=file)(pdf)


def with_nested_filters() -> bytes:
    """A page that unfolds into 50 MB: packed three times."""
    content = zlib.compress(zlib.compress(zlib.compress(bytes(50_000_000), 9), 9), 9)
    return made._pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[4 0 R]>>",
            b"<</Length %d/Filter[/FlateDecode/FlateDecode/FlateDecode]>>stream\n%s\nendstream"
            % (len(content), content),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 3 0 R>>",
        ]
    )


def with_object_bomb() -> bytes:
    """A stream of objects that unfolds into 300 MB."""
    packer = zlib.compressobj(9)
    bomb = (
        packer.compress(b"1 0 ")
        + b"".join(packer.compress(bytes(1_000_000)) for _ in range(300))
        + packer.compress(b"<<>>")
        + packer.flush()
    )
    head = b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>stream\n" % len(bomb)
    first = b"%PDF-1.7\n"
    body = first + b"5 0 obj\n" + head + bomb + b"\nendstream\nendobj\n"
    # Object 1, the root, is said to be in it.
    rows = b"".join(bytes(row) for row in ((0, 0, 0, 255), (2, 0, 5, 0)))
    table = zlib.compress(rows + bytes((1, 0, len(first), 0)))
    start = len(body)
    entry = b"<</Type/XRef/Size 6/Index[0 2 5 1]/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length %d>>" % len(table)
    return body + b"6 0 obj\n%sstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % (entry, table, start)


def _by_hand(root: bytes) -> bytes:
    return made._pdf([root, b"<</Type/Pages/Count 1/Kids[3 0 R]>>", b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"])


def with_escaped_names() -> bytes:
    """A script whose names are written in numbers, so that a search of the bytes finds nothing."""
    return _by_hand(b"<</Type/Catalog/Pages 2 0 R/Open#41ction<</S/J#61va#53cript/#4a#53(app.alert\\(1\\))>>>>")


def with_wrong_length() -> bytes:
    """A stream that is longer than it says, so that two readers see two ends."""
    return re.sub(rb"/Length 1(\d)", rb"/Length 0\1", made.pdf(), count=1)


def encrypted(*, user: str) -> bytes:
    """Protected, with a password to open it or only to change it."""
    return changed(lambda _: None, encryption=pikepdf.Encryption(owner="owner", user=user))


def appended(change: Iterable[tuple[int, bytes]]) -> bytes:
    """A PDF as a program that fills in or signs leaves it: with what has changed behind the rest."""
    content = made.pdf()
    body, table = content, b""
    for number, one in change:
        table += b"%d 1\n%010d 00000 n \n" % (number, len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    trailer = b"trailer<</Size 20/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (
        content.index(b"xref\n0"),
        len(body),
    )
    return body + b"xref\n" + table + trailer


def signed() -> bytes:
    signature = Dictionary(
        Type=Name.Sig,
        Filter=Name("/Adobe.PPKLite"),
        SubFilter=Name("/adbe.pkcs7.detached"),
        ByteRange=Array([0, 10, 20, 30]),
        Contents=String("0" * 200),
        Reference=Array([Dictionary(Type=Name.SigRef, TransformMethod=Name.DocMDP, TransformParams=Dictionary(P=2))]),
    )
    return changed(with_field("Sig", V=signature))
