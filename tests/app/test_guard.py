"""Only pages of this server may talk to it."""

import pytest
from tests.app.conftest import PORT, TOKEN

from lovasz.app.guard import Guard

OWN = f"http://127.0.0.1:{PORT}"


def test_every_response_has_the_policy(client):
    for path in ("/", "/static/app.js", "/theme.css", "/api/state", "/nowhere", "/api/nowhere"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http:" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers and "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{PORT}", ""],
)
def test_another_host_is_refused_everywhere(client, host):
    for path in ("/", "/static/app.js", "/api/state"):
        assert client.get(path, headers={"host": host}).status_code == 403


def test_localhost_is_this_machine(client):
    own = {"host": f"localhost:{PORT}", "origin": f"http://localhost:{PORT}"}
    assert client.get("/api/state", headers=own).status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "tokén"])
def test_the_interface_needs_the_token(client, token):
    headers = {"x-lovasz-token": token.encode()}
    assert client.get("/api/state", headers=headers).status_code == 403
    assert client.post("/api/undo", json={}, headers=headers).status_code == 403


def test_a_token_in_the_address_is_not_enough(client):
    del client.headers["x-lovasz-token"]
    assert client.get(f"/api/state?token={TOKEN}").status_code == 403
    assert client.get(f"/?token={TOKEN}").status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:8001"]
)
def test_another_origin_is_refused(client, project, origin):
    body = {"row": 0, "class": "red"}
    refused = client.post("/api/label", json=body, headers={"origin": origin})
    assert refused.status_code == 403
    assert client.get("/api/state", headers={"origin": origin}).status_code == 403
    assert project.state.labels == {}


def test_a_change_needs_an_origin_and_reading_does_not(client, project):
    del client.headers["origin"]
    assert client.get("/api/state").status_code == 200
    assert client.post("/api/label", json={"row": 0, "class": "red"}).status_code == 403
    assert project.state.labels == {}


def test_a_browser_is_not_given_leave_to_send_foreign_requests(client):
    asked = client.options(
        "/api/label",
        headers={
            "origin": "http://evil.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "x-lovasz-token",
        },
    )
    assert asked.status_code == 403


def test_nothing_of_the_project_is_in_what_needs_no_token(client):
    client.post("/api/label", json={"row": 0, "class": "a secret class"})
    del client.headers["x-lovasz-token"]
    for path in ("/", "/static/app.js", "/theme.css"):
        text = client.get(path).text
        assert "secret" not in text and "ring.csv" not in text and TOKEN not in text


def test_the_code_of_the_browser_gives_the_token_once(client):
    del client.headers["x-lovasz-token"]
    for wrong in ("", "cod", "cöde", TOKEN):
        assert client.post("/enter", json={"once": wrong}).status_code == 403
    foreign = {"origin": "http://evil.example"}
    assert client.post("/enter", json={"once": "code"}, headers=foreign).status_code == 403
    assert client.post("/enter", json={"once": "code"}).json() == {"token": TOKEN}
    assert client.post("/enter", json={"once": "code"}).status_code == 403


def test_no_file_outside_the_folder_is_served(client):
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"):
        assert client.get(path).status_code in (403, 404)


@pytest.mark.parametrize("hosts", [[], [b"127.0.0.1:8000", b"evil.example"]])
def test_no_host_and_two_hosts_are_refused(hosts):
    headers = [(b"host", host) for host in hosts]
    guard = Guard(None, port=8000, token="secret")
    asked = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    assert "answers only to the address" in guard._refuse(asked)
    assert guard._refuse(asked | {"headers": [(b"host", b"127.0.0.1:8000")]}) is None
