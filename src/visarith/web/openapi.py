"""The API's description as OpenAPI 3.0.3, the newest version that the bundled Swagger UI shows.

FastAPI writes schemas as 3.1 has them, which a fuzzer that is told 3.0.3 reads wrongly or skips.
"""

from typing import Any

VERSION = "3.0.3"


def as_3_0(said: Any) -> Any:
    """Return a description with each schema as OpenAPI 3.0 writes it: `nullable`, and one `example`.

    >>> as_3_0({"anyOf": [{"type": "string"}, {"type": "null"}], "examples": ["7"]})
    {'type': 'string', 'nullable': True, 'example': '7'}
    >>> as_3_0({"properties": {"examples": {"type": "integer", "examples": [3]}}})
    {'properties': {'examples': {'type': 'integer', 'example': 3}}}
    """
    if isinstance(said, list):
        return [as_3_0(each) for each in said]
    if not isinstance(said, dict):
        return said
    if isinstance(said.get("properties"), dict):  # whose names are not words of OpenAPI, whatever they are
        named = {name: as_3_0(value) for name, value in said["properties"].items()}
        return as_3_0({name: value for name, value in said.items() if name != "properties"}) | {"properties": named}
    found = {name: as_3_0(value) for name, value in said.items() if name != "example"}
    choices = found.get("anyOf", [])
    if {"type": "null"} in choices:
        (one,) = [each for each in choices if each != {"type": "null"}]
        del found["anyOf"]
        found = {**one, "nullable": True, **found}
    if isinstance(found.get("examples"), list):
        found["example"] = found.pop("examples")[0]
    return found | {name: value for name, value in said.items() if name == "example"}
