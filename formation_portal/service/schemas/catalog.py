"""The catalog on the wire (interface, "Catalog item" to "Document slots")."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class JurisdictionOut(BaseModel):
    """Where the entity is formed."""

    id: str
    name: str
    slug: str
    iso_code: str = Field(pattern="^[A-Z]{2}$")
    region: str


class ProductOut(BaseModel):
    """The legal form."""

    id: str
    name: str
    slug: str
    type: Literal["Corporation", "Foundation"]
    description: str


class PriceOut(BaseModel):
    """What it costs, in one currency (ISO 4217)."""

    one_off: float
    annual: float
    currency: str = Field(pattern="^[A-Z]{3}$")


class FormSchemaOut(BaseModel):
    """The form schema: what is asked, of whom, and under which conditions. Sections may hold further members."""

    model_config = ConfigDict(extra="allow")

    id: str
    csp_name: str
    form_name: str
    version: str
    agent_address: dict[str, str]
    sections: list[dict[str, Any]]


class CatalogItemOut(BaseModel):
    """One product in one jurisdiction."""

    jurisdiction_product_id: str
    jurisdiction: JurisdictionOut
    product: ProductOut
    price: PriceOut
    form: FormSchemaOut = Field(alias="schema")
    estimated_timeline: str


class Total(BaseModel):
    """How many items there are."""

    total: int


class CatalogOut(BaseModel):
    """The whole list; it is not paged."""

    data: list[CatalogItemOut]
    meta: Total
