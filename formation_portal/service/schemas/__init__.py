"""The bodies that go in and out, as pydantic models; the OpenAPI document is drawn from them."""
