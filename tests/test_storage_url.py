"""STORAGE_URL names a bucket, or says what is wrong without its secret."""

from formation_portal.core.storage import storage_settings


def test_no_url_is_the_disk() -> None:
    found = storage_settings("")
    assert [one["BACKEND"].rpartition(".")[2] for one in found.values()] == ["PrivateFileStorage", "ServiceFileStorage"]


def test_portal_and_service_have_prefixes_of_their_own() -> None:
    found = storage_settings("s3://k%40y:p%2Fw@a-bucket.eu/a/prefix/?endpoint=https://s3.example:9000&region=eu-west-1")
    assert [one["OPTIONS"]["location"] for one in found.values()] == [
        f"a/prefix/{folder}" for folder in ("portal", "service")
    ]
    options = found["default"]["OPTIONS"]
    assert (options["bucket_name"], options["access_key"], options["secret_key"]) == ("a-bucket.eu", "k@y", "p/w")
    assert (options["endpoint_url"], options["region_name"]) == ("https://s3.example:9000", "eu-west-1")


def test_without_a_key_the_usual_environment_is_asked() -> None:
    options = storage_settings("s3://bucket")["default"]["OPTIONS"]
    assert options == {"bucket_name": "bucket", "endpoint_url": None, "region_name": None, "location": "portal"}
