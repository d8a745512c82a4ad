"""What every response carries, whoever asks for what: headers, methods, hosts and origins; nothing is reflected."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from visarith.web.application import application
from visarith.web.protection import HEADERS, POSTED

REQUIRED = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
POLICY = ("default-src 'none'", "script-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'")

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "' OR 1=1 --",
    "; rm -rf /",
    "$(touch canary)",
    "`touch canary`",
    "{{7*7}}",
    "${7*7}",
    "#{7*7}",
    "%s%s%s%n",
    "__import__('os').system('touch canary')",
    "../../../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%c0%af..%c0%afetc/passwd",
    "/etc/passwd",
    "//evil.example/",
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data",
    "a\r\nSet-Cookie: stolen=1",
    "a%0d%0aSet-Cookie:%20stolen=1",
    "\x00",
    "\x1b[2J",
    "\u202e\u0661",
    "A" * 3000,
    "9" * 3000,
    "NaN",
    "-1e309",
    "\U0001f4a5",
)
ROUTES = (
    "/",
    "/docs",
    "/docs/{}",
    "/{}",
    "/weights/{}.js",
    "/api/{}",
    "/api/learners?{}",
    "/api/openapi.json",
    "/api/calculate?a={}&b=1",
    "/api/calculate?a=1&b=2&op={}",
    "/api/calculate?a=1&b=2&learner={}",
    "/api/calculate?a=1&b=2&seed={}",
    "/api/calculate?a=1&b=2&{}=1",
    "/api/predict",
    "/api/read",
)
METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as made:
        yield made


def check(response) -> None:  # type: ignore[no-untyped-def]
    """Every header on every response, and no text of the request in what a browser would run."""
    assert response.status_code in (200, 204, 403, 405, 413, 421, 422, 404)
    assert {name: response.headers.get(name) for name in REQUIRED} == REQUIRED
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS
    assert set(POLICY) <= set(response.headers["content-security-policy"].split("; "))
    assert "unsafe" not in response.headers["content-security-policy"]
    assert "set-cookie" not in response.headers
    kind = response.headers.get("content-type", "").partition(";")[0]
    if response.status_code >= 400:
        assert kind == "application/json"


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_strings_reach_no_header_and_no_file(client: TestClient, hostile: str) -> None:
    for route in ROUTES:
        response = client.get(route.format(quote(hostile, safe="/%&=")))
        check(response)
        assert "root:" not in response.text
        if "html" in response.headers.get("content-type", ""):
            assert hostile not in response.text
    for route in POSTED:
        for asked in (
            {"op": hostile},
            {"learner": hostile},
            {hostile: 1},
            {"truth": hostile},
            {"pictures": [{"png": hostile}] * 2},
        ):
            picture = {"height": 15, "width": 60, "pixels": ""}
            response = client.post(route, json=asked | ({"picture": picture} if route == "/api/read" else {}))
            check(response)
            assert response.status_code == 422
    assert not Path("canary").exists()


def test_a_hostile_string_in_any_header_changes_nothing(client: TestClient) -> None:
    for hostile in HOSTILE:
        value = hostile.encode("utf-8", "replace").replace(b"\r", b"").replace(b"\n", b"").replace(b"\x00", b"null")
        for name in ("accept", "content-type", "x-forwarded-for", "x-forwarded-host", "cookie", "user-agent", "range"):
            response = client.get("/api/calculate?a=1&b=2", headers={name: value})
            check(response)
            assert response.status_code == 200
        for name, status in (("host", 421), ("origin", 403)):
            response = client.get("/", headers={name: value})
            check(response)
            assert response.status_code == status


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/nothing", "/api/learners", "/api/calculate", "/api/predict", "/api/read"]
)
def test_allow_names_every_method_that_is_answered(client: TestClient, path: str) -> None:
    answered = set()
    for method in METHODS:
        response = client.request(method, path)
        check(response)
        if response.status_code != 405:
            answered.add(method)
        else:
            allowed = response.headers["allow"].split(", ")
    assert set(allowed) == answered == set(client.options(path).headers["allow"].split(", "))


def test_the_paths_that_take_post_are_those_of_the_description(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {path for path, methods in paths.items() if "post" in methods} == POSTED


def test_head_is_get_without_a_body(client: TestClient) -> None:
    for path in ("/", "/api/learners", "/api/calculate?a=1&b=2", "/nothing"):
        get, head = client.get(path), client.head(path)
        assert head.status_code == get.status_code
        assert head.headers["content-type"] == get.headers["content-type"]
        assert head.content == b""


def test_pages_of_other_web_sites_are_not_answered(client: TestClient) -> None:
    body = {"op": "add", "pictures": []}
    for origin, status in (
        ("http://127.0.0.1:8000", 422),
        ("http://127.0.0.1:8001", 403),
        ("http://evil.example", 403),
        ("http://127.0.0.1:8000.evil.example", 403),
        ("null", 403),
        ("", 422),
    ):
        response = client.post("/api/predict", json=body, headers={"origin": origin} if origin else {})
        assert response.status_code == status, origin
    for name in ("access-control-allow-origin", "access-control-allow-methods"):
        assert name not in client.options("/api/predict", headers={"origin": "http://127.0.0.1:8000"}).headers
