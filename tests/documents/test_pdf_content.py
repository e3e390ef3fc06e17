"""What stands in a PDF beside its pages, object by object: what is refused, by which code, and what is no reason."""

from collections.abc import Callable
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from formation_portal.documents.findings import MAX_PAGES, FindingCode
from formation_portal.documents.pdf_content import _dictionaries, judge_pdf
from tests.documents import sample_files
from tests.documents.corpus.pdfs import changed

JUMP = {"/S": Name.GoTo, "/D": String("top")}
SCRIPT = {"/S": Name.JavaScript, "/JS": String("app.alert(1)")}


def judged(change: Callable[[Any], object]) -> frozenset[FindingCode]:
    return judge_pdf(changed(change))


def put(where: str, value: Any) -> Callable[[Any], None]:
    """Puts an entry into the root, or into the first page where its name begins with a dot."""

    def change(pdf: Any) -> None:
        holder = pdf.pages[0].obj if where.startswith(".") else pdf.Root
        holder[where.lstrip(".")] = value

    return change


def within(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = Array([value])
    return value


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("/OpenAction", Dictionary(SCRIPT)),
        ("/OpenAction", Dictionary({"/S": Name.Named, "/N": Name.Print})),
        ("/OpenAction", Dictionary(JUMP | {"/Next": Dictionary({"/S": Name.Launch, "/F": String("cmd.exe")})})),
        ("/OpenAction", Dictionary(JUMP | {"/Next": Array([Dictionary(JUMP), Dictionary({"/S": Name.Hide})])})),
        ("/Names", Dictionary(JavaScript=Dictionary(Names=Array()))),
        ("/Anything", Dictionary(JS=String("x"))),
        ("./AA", Dictionary(O=Dictionary({"/S": Name.Named, "/N": Name.Print}))),
        ("./AA", Dictionary(O=Dictionary(JUMP), C=Dictionary({"/S": Name.Hide}))),
        ("./A", Dictionary(S=Name.SubmitForm)),
        ("./A", Dictionary(S=Name.ImportData)),
        ("./A", Dictionary(S=Name.GoToE)),
        ("./A", Dictionary(S=Name.URI, URI=String("javascript:alert(1)"))),
        ("./A", Dictionary(S=Name.URI, URI=String("  VBScript:x"))),
        ("./A", Dictionary(S=Name.URI, URI=String("data:text/html,x"))),
        ("./Annots", Array([Dictionary(Subtype=Name.RichMedia)])),
        ("./Annots", Array([Dictionary({"/Subtype": Name("/3D")})])),
        ("./Annots", Array([Dictionary(Subtype=Name.Screen)])),
    ],
)
def test_what_does_something_is_active(where: str, value: Any) -> None:
    assert judged(put(where, value)) == {FindingCode.ACTIVE}


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("/OpenAction", Dictionary(JUMP)),
        ("/OpenAction", Array([0, Name.Fit])),
        ("/OpenAction", Dictionary(JUMP | {"/Next": Dictionary(JUMP)})),
        ("./AA", Dictionary(O=Dictionary(JUMP))),
        ("./A", Dictionary(S=Name.URI, URI=String("https://example.com/javascript:"))),
        ("./Annots", Array([Dictionary(Subtype=Name.Link, A=Dictionary(JUMP))])),
        ("/AcroForm", Dictionary(Fields=Array([Dictionary(Subtype=Name.Widget, FT=Name.Sig)]))),
        ("/AcroForm", Dictionary(Fields=Array())),
        # Names that only begin like those.
        ("/Anything", Dictionary(JSON=String("x"), AAA=String("x"), EFG=String("x"))),
    ],
)
def test_links_jumps_forms_and_signatures_are_no_reason(where: str, value: Any) -> None:
    assert judged(put(where, value)) == frozenset()


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("/Anything", Dictionary(EF=Dictionary())),
        ("./Annots", Array([Dictionary(Subtype=Name.FileAttachment)])),
        ("/Anything", Dictionary(Type=Name.EmbeddedFile)),
        ("/Collection", Dictionary(View=Name.D)),
    ],
)
def test_a_file_within_the_file_is_an_attachment(where: str, value: Any) -> None:
    assert judged(put(where, value)) == {FindingCode.ATTACHMENT}


def test_a_form_of_its_own_language_is_said() -> None:
    assert judged(put("/AcroForm", Dictionary(XFA=String("<xdp/>")))) == {FindingCode.XFA}


def test_a_script_is_found_in_compressed_objects_too() -> None:
    def change(pdf: Any) -> None:
        pdf.Root["/Names"] = pdf.make_indirect(Dictionary(JavaScript=Dictionary(Names=Array())))

    packed = changed(change, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    assert b"JavaScript" not in packed
    assert judge_pdf(packed) == {FindingCode.ACTIVE}


@pytest.mark.parametrize("depth", [1, 98])
def test_a_script_is_found_however_deep_it_stands(depth: int) -> None:
    assert judged(put("/Anything", within(Dictionary(SCRIPT), depth))) == {FindingCode.ACTIVE}


def test_what_stands_too_deep_is_not_followed() -> None:
    assert [*_dictionaries(within(Dictionary(SCRIPT), 100))] == [Dictionary(SCRIPT)]
    with pytest.raises(ValueError, match="too deep"):
        list(_dictionaries(within(Dictionary(SCRIPT), 101)))
    with pytest.raises(ValueError, match="too deep"):
        judged(put("/Anything", within(Dictionary(SCRIPT), 120)))


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (["/FlateDecode"], set()),
        (["/ASCII85Decode", "/FlateDecode"], set()),
        (["/FlateDecode", "/FlateDecode"], {FindingCode.TOO_HEAVY}),
        (["/ASCII85Decode", "/ASCIIHexDecode", "/LZWDecode", "/FlateDecode"], {FindingCode.TOO_HEAVY}),
    ],
)
def test_what_is_packed_again_and_again_is_too_heavy(filters: list[str], found: set[FindingCode]) -> None:
    assert judged(put("/Anything", Dictionary(Filter=Array([Name(one) for one in filters])))) == found


@pytest.mark.parametrize(("pages", "found"), [(MAX_PAGES, set()), (MAX_PAGES + 1, {FindingCode.TOO_MANY_PAGES})])
def test_there_is_a_most_of_pages(pages: int, found: set[FindingCode]) -> None:
    assert judge_pdf(sample_files.pdf(pages)) == found


@pytest.mark.parametrize(("password", "found"), [("", set()), ("user", {FindingCode.PROTECTED})])
@pytest.mark.parametrize("revision", [4, 6])
def test_only_what_asks_for_a_password_is_protected(password: str, found: set[FindingCode], revision: Any) -> None:
    how = pikepdf.Encryption(owner="owner", user=password, R=revision)
    assert judge_pdf(changed(lambda pdf: None, encryption=how)) == found


def test_what_is_encrypted_is_judged_by_what_it_holds() -> None:
    how = pikepdf.Encryption(owner="owner", user="")
    assert judge_pdf(changed(put("/OpenAction", Dictionary(SCRIPT)), encryption=how)) == {FindingCode.ACTIVE}


def test_of_two_values_of_one_name_each_reader_takes_another() -> None:
    twice = sample_files.pdf().replace(b"/Count 1", b"/Count 1/Count 1")
    twice = twice[: twice.rfind(b"startxref")]
    with pytest.raises(pikepdf.PdfError):
        judge_pdf(twice)
