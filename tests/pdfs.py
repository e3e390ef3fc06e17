"""Reads a PDF as another program would: its words, its tags, its language, what it claims to be."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as raw

Read = Callable[..., int]


@dataclass(frozen=True)
class ReadPdf:
    pages: tuple[str, ...]
    is_tagged: bool
    language: str
    title: str
    tags: frozenset[str]
    # Those that parts of it are marked with.
    languages: frozenset[str]
    claims_ua: bool

    @property
    def text(self) -> str:
        """Everything, with single spaces, and without the places where a long word may break."""
        return squeezed(" ".join(self.pages))


def squeezed(text: str) -> str:
    """Text as it can be compared: no-break spaces are spaces, ends of lines too."""
    return " ".join(text.replace("\u200b", "").replace("\ufffe", "").split())


def read_pdf(content: bytes) -> ReadPdf:
    document = pypdfium2.PdfDocument(content)
    try:
        return ReadPdf(
            pages=tuple(_page_text(page) for page in document),
            is_tagged=bool(raw.FPDFCatalog_IsTagged(document)),
            language=_language(document),
            title=document.get_metadata_value("Title"),
            tags=frozenset(tag for page in document for tag in _marks(page, raw.FPDF_StructElement_GetType)),
            languages=frozenset(one for page in document for one in _marks(page, raw.FPDF_StructElement_GetLang)),
            claims_ua=b"pdfuaid:part" in content,
        )
    finally:
        document.close()


def _page_text(page: pypdfium2.PdfPage) -> str:
    words = page.get_textpage()
    try:
        return str(words.get_text_range())
    finally:
        words.close()


def _language(document: pypdfium2.PdfDocument) -> str:
    size = raw.FPDFCatalog_GetLanguage(document, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFCatalog_GetLanguage(document, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le")


def _marks(page: pypdfium2.PdfPage, read: Read) -> set[str]:
    """What each element of the page's structure says of itself."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    found: set[str] = set()
    for index in range(raw.FPDF_StructTree_CountChildren(tree)):
        _walk(raw.FPDF_StructTree_GetChildAtIndex(tree, index), read, found)
    raw.FPDF_StructTree_Close(tree)
    return found - {""}


def _walk(element: object, read: Read, found: set[str]) -> None:
    if not element:
        return
    size = read(element, None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(element, buffer, size)
    found.add(buffer.raw[: max(0, size - 2)].decode("utf-16-le"))
    for index in range(raw.FPDF_StructElement_CountChildren(element)):
        _walk(raw.FPDF_StructElement_GetChildAtIndex(element, index), read, found)
