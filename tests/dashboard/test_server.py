"""What the server answers: studies, what changed, news as it comes, and nothing to those who may not ask."""

import argparse
import gzip
import json
import socket
import threading
import time
from contextlib import ExitStack
from urllib.parse import quote

import pytest

import suffice as sf
from suffice.cli import studies
from suffice.dashboard import serving as port
from suffice.dashboard.serving import bind

from .conftest import SPACE, grow, make, serving


@pytest.fixture
def site(tmp_path, serve):
    make(tmp_path / "runs" / "a.db", 8)
    return serve(tmp_path / "runs")


@pytest.fixture(scope="module")
def still(tmp_path_factory):
    """A site whose study does not change, with another study outside of its folder."""
    folder = tmp_path_factory.mktemp("still")
    make(folder / "runs" / "a.db", 8)
    make(folder / "secret.db", 1)
    with serving() as serve:
        site = serve(folder / "runs")
        site.loaded("a.db")
        yield site


def test_a_study_is_listed_and_opened(still):
    summary = still.loaded("a.db")
    assert still.get("/api/studies")["version"] == sf.__version__
    study = still.get(f"/api/studies/{summary['id']}")
    assert study["summary"] == summary
    assert study["revision"] == summary["revision"]
    assert [parameter["name"] for parameter in study["parameters"]] == list(SPACE)
    assert [parameter["kind"] for parameter in study["parameters"]] == ["float", "float", "int", "choice"]
    assert study["settings"]["Direction"] == "minimize"
    assert study["trials"]["number"] == list(range(8))
    assert min(study["trials"]["value"]) == summary["best"]


def test_a_trial_and_the_model_of_a_study_can_be_asked_for(still):
    id = still.loaded("a.db")["id"]
    trial = still.get(f"/api/studies/{id}/trials/3")
    study = still.get(f"/api/studies/{id}")
    assert trial["value"] == study["trials"]["value"][3]
    assert trial["point"] == {name: column[3] for name, column in study["trials"]["params"].items()}
    for number in ("8", "-1", "x", "1.0", "٣", "9" * 30):
        assert still.request(f"/api/studies/{id}/trials/{quote(number)}")[0] == 404
    while (model := still.get(f"/api/studies/{id}/model"))["wait"]:
        time.sleep(0.05)
    assert (model["problem"], model["revision"]) == (None, study["revision"])
    assert [cut["name"] for cut in model["slices"]] == list(SPACE)
    while (field := still.get(f"/api/studies/{id}/contour?x=rate&y=x"))["wait"]:
        time.sleep(0.05)
    assert (field["contour"]["x"]["name"], field["contour"]["y"]["name"]) == ("rate", "x")
    for query in ("x=none&y=x", "output=1", "output=-1", "output=٠"):
        assert still.request(f"/api/studies/{id}/contour?{quote(query, safe='=&')}")[0] == 404


def test_what_changed_is_asked_for_by_revision(site, tmp_path):
    summary = site.loaded("a.db")
    at = f"/api/studies/{summary['id']}/trials"
    nothing = site.get(f"{at}?since={summary['revision']}")
    assert nothing["trials"]["number"] == []
    assert "reset" not in nothing
    with sf.Optimizer.resume(tmp_path / "runs" / "a.db") as opt:
        opt.ask()
        later = site.until(lambda studies: studies["a.db"]["pending"] == 1)["a.db"]
        asked = site.get(f"{at}?since={summary['revision']}")
        assert (asked["trials"]["number"], asked["trials"]["state"]) == ([8], ["pending"])
        opt.tell(opt.pending[0], 0.25)
        site.until(lambda studies: studies["a.db"]["done"] == 9)
        told = site.get(f"{at}?since={later['revision']}")
        assert (told["trials"]["number"], told["trials"]["value"]) == ([8], [0.25])
    for unknown in ("", "?since=", "?since=nonsense", f"?since={later['revision']}9", "?since=" + "9" * 40):
        answer = site.get(at + unknown)
        assert answer["reset"] is True
        assert answer["trials"]["number"] == list(range(9))


def test_news_come_by_themselves_and_go_on_after_a_cut(site, tmp_path):
    summary = site.loaded("a.db")
    query = f"?study={summary['id']}&since={summary['revision']}"
    with sf.Optimizer.resume(tmp_path / "runs" / "a.db") as opt:
        with site.events(query) as first, site.events(query) as second:
            kind, _, data = first.next()
            assert (kind, [study["id"] for study in data["studies"]]) == ("studies", [summary["id"]])
            grow(opt, 1)
            for events in (first, second):
                _, id, data = events.until(lambda kind, data: kind == "trials" and "done" in data["trials"]["state"])
                assert data["trials"]["number"] == [8]
                assert data["since"].partition(".")[0] == id.partition(".")[0]
                assert data["study"] == summary["id"]
        grow(opt, 1)
    with site.events(query, **{"Last-Event-ID": id}) as again:
        _, _, data = again.until(lambda kind, _: kind == "trials")
        assert data["trials"]["number"] == [9]
    with site.events(f"?study={summary['id']}") as fresh:
        _, _, data = fresh.until(lambda kind, _: kind == "trials")
        assert data["reset"] is True
        assert data["trials"]["number"] == list(range(10))


def test_a_new_study_and_a_deleted_one_are_news(site, tmp_path):
    site.loaded("a.db")
    with site.events() as events:
        make(tmp_path / "runs" / "b.db", 1)
        events.until(lambda _, data: any(study["name"] == "b.db" and study["trials"] for study in data["studies"]))
        (tmp_path / "runs" / "b.db").unlink()
        events.until(lambda _, data: [study["state"] for study in data["studies"]] == ["gone"])
    assert list(site.studies()) == ["a.db"]


def test_a_long_answer_is_compressed_for_who_takes_it(site, tmp_path):
    with sf.Optimizer.resume(tmp_path / "runs" / "a.db") as opt, opt.together():
        for i in range(300):
            opt.tell({"x": i / 300, "rate": 0.1, "n": 1, "c": "a"}, float(i))
    id = site.until(lambda studies: studies["a.db"]["done"] == 308)["a.db"]["id"]
    _, plain_headers, plain = site.request(f"/api/studies/{id}")
    _, headers, body = site.request(f"/api/studies/{id}", Accept_Encoding="gzip")
    assert "Content-Encoding" not in plain_headers
    assert headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(body))["trials"] == json.loads(plain)["trials"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/studies/..%2F..%2Fsecret.db",
        "/api/studies/../../secret.db",
        "/api/studies/a.db",
        "/api/studies/%2Fetc%2Fpasswd",
        "/api/studies//etc/passwd",
        "/static/..%2F..%2Fserver.py",
        "/static/../server.py",
        "/static/%2Fetc%2Fpasswd",
        "/static/",
        "/etc/passwd",
        "/api/nothing",
        "/api/events?study=..%2Fsecret.db",
    ],
)
def test_nothing_is_reached_by_a_path(still, path):
    status, headers, body = still.request(path)
    assert status == 404
    assert headers["Content-Type"] == "application/json"
    assert "error" in json.loads(body)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_can_be_changed(still, method):
    status, headers, _ = still.request("/api/studies", method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_head_is_get_without_the_body(still):
    still.loaded("a.db")
    got, head = still.request("/api/studies"), still.request("/api/studies", "HEAD")
    assert (head[0], head[2]) == (200, b"")
    assert head[1]["Content-Length"] == got[1]["Content-Length"]


def test_every_answer_tells_the_browser_to_keep_others_out(still):
    for path in ("/api/studies", "/api/nothing", "/"):
        _, headers, _ = still.request(path)
        assert headers["Content-Security-Policy"].startswith("default-src 'self';")
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in headers
    assert still.request("/api/studies")[1]["Cache-Control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.2", "user@localhost", "", "[::"])
def test_another_name_in_the_host_header_is_refused(still, host):
    assert still.request("/api/studies", Host=host)[0] == 400


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "LOCALHOST:8765", "[::1]:80"])
def test_the_names_of_this_machine_are_known_with_any_port(still, host):
    assert still.request("/api/studies", Host=host)[0] == 200


def test_pages_of_other_origins_are_refused(still):
    host = f"localhost:{still.address.door.port}"
    for origin in ("https://evil.example", "null", "http://localhost:1", f"http://{host}.evil.example", "file://"):
        assert still.request("/api/studies", Host=host, Origin=origin)[0] == 403
    assert still.request("/api/studies", Host=host, Origin=f"http://{host}")[0] == 200
    for site_word in ("cross-site", "same-site"):
        assert still.request("/api/studies", Sec_Fetch_Site=site_word, Sec_Fetch_Mode="navigate")[0] == 403
        assert still.request("/", Sec_Fetch_Site=site_word, Sec_Fetch_Mode="no-cors")[0] == 403
    for site_word in ("same-origin", "none"):
        assert still.request("/api/studies", Sec_Fetch_Site=site_word)[0] == 200
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert still.request("/", **link)[0] != 403
    assert still.request("/api/studies", **link)[0] == 403


def test_a_server_for_other_machines_wants_its_token(tmp_path, serve):
    make(tmp_path / "a.db", 1)
    site = serve(tmp_path, "0.0.0.0")
    token, cookie = site.address.door.token, site.address.door.cookie
    assert len(token) >= 32
    assert site.address.here == f"http://127.0.0.1:{site.address.door.port}/?token={token}"
    assert site.address.url == site.address.here.replace("127.0.0.1", socket.gethostname())
    assert site.request("/api/studies", Host="evil.example")[0] == 401  # a page of another name has no token
    for path in (
        "/",
        "/api/studies",
        "/api/events",
        "/static/index.html",
        "/?token=wrong",
        f"/api/studies?token={token}",
    ):
        status, headers, body = site.request(path)
        assert (status, headers["WWW-Authenticate"]) == (401, "Bearer")
        assert token not in body.decode()
    assert site.request("/api/studies", Cookie=f'strange="{{x,y}}\\"; @; {cookie}={token}; other=1')[0] == 200
    for wrong in (f"{cookie}=wrong", f"{cookie}=", f"other={token}", "nonsense;;;=", f"{cookie}={token}x"):
        assert site.request("/api/studies", Cookie=wrong)[0] == 401
    assert site.request("/api/studies", Authorization=f"Bearer {token[:-1]}")[0] == 401
    assert site.request("/api/studies", Authorization=f"Basic {token}")[0] == 401
    status, headers, _ = site.request(f"/?token={token}")
    assert (status, headers["Location"]) == (303, "/")
    given = headers["Set-Cookie"]
    assert "HttpOnly" in given
    assert "samesite=strict" in given.lower()
    assert site.request("/api/studies", Cookie=given.partition(";")[0])[0] == 200
    assert site.request("/api/studies", Authorization=f"Bearer {token}")[0] == 200
    assert site.request("/api/studies", Authorization=f"Bearer {token}", Host="192.0.2.7:1")[0] == 200


def test_loopback_needs_no_token_and_knows_no_other_address(tmp_path):
    for host in ("127.0.0.1", "localhost"):
        address = bind(host, 0)
        address.socket.close()
        assert address.door.token is None
        assert not address.door.anywhere
        assert address.url == f"http://{host}:{address.door.port}/"


def test_a_token_can_be_wanted_on_this_machine_too():
    one, other = bind("127.0.0.1", 0, token=True), bind("127.0.0.1", 0, token=True)
    for address in (one, other):
        address.socket.close()
        assert address.url.endswith(f"/?token={address.door.token}")
        assert not address.door.anywhere
        assert not address.door.opens(None)
        assert address.door.opens(address.door.token)
    assert not one.door.opens(other.door.token)


def test_a_port_in_use_says_what_to_do():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="--port 0 for any free one"):
            bind("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(OSError, match="leave --host out"):
        bind("no such host.invalid", 0)


def test_streams_end_with_the_server(tmp_path, serve):
    make(tmp_path / "a.db", 1)
    site = serve(tmp_path)
    ended = []
    with site.events() as events:
        assert events.next() is not None
        reader = threading.Thread(target=lambda: ended.append(list(iter(events.next, None))))
        reader.start()
        site.end()
        reader.join(10)
        assert ended


def test_the_files_of_the_page_are_asked_for_again_and_sent_once(still):
    status, headers, body = still.request("/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert headers["Cache-Control"] == "no-cache"
    assert still.request("/", If_None_Match=headers["ETag"])[0] == 304
    assert still.request("/", If_None_Match='"another"')[0] == 200
    assert gzip.decompress(still.request("/", Accept_Encoding="gzip, br")[2]) == body


def test_a_reader_who_takes_nothing_costs_nothing(site, tmp_path):
    summary = site.loaded("a.db")
    with socket.create_connection(("127.0.0.1", site.address.door.port)) as slow:
        slow.sendall(f"GET /api/events?study={summary['id']} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        with sf.Optimizer.resume(tmp_path / "runs" / "a.db") as opt:
            grow(opt, 3)
        assert site.until(lambda studies: studies["a.db"]["done"] == 11)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: local"], ids=["silent", "half"])
def test_connections_that_never_finish_a_request_keep_nobody_out(site, tmp_path, sent):
    """Also where the first request on a connection was complete and the second one is not."""
    with ExitStack() as stack:
        events = stack.enter_context(site.events())
        assert events.next() is not None
        for number in range(300):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", site.address.door.port)))
            if number % 3 == 0:
                half.sendall(b"GET /static/none HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert half.recv(1000).startswith(b"HTTP/1.1 404")
            half.sendall(sent)
        assert site.request("/")[0] == 200
        with sf.Optimizer.resume(tmp_path / "runs" / "a.db") as opt:
            grow(opt, 1)
        assert events.until(lambda kind, data: any(study["done"] == 9 for study in data["studies"]))


def test_who_has_no_token_reads_a_sentence_in_place_of_the_front_page(tmp_path, serve):
    site = serve(tmp_path, "0.0.0.0")
    for path, headers, status in (("/", {}, 401), ("/?token=<b>", {}, 401), ("/", {"Host": "evil.example"}, 401)):
        found, about, body = site.request(path, **headers)
        assert (found, about["Content-Type"]) == (status, "text/html; charset=utf-8")
        assert b"pen the address that suffice dashboard printed" in body
        assert b"<b>" not in body
    assert site.request("/api/studies")[1]["Content-Type"] == "application/json"


def test_a_link_of_another_site_leads_in_by_a_page_from_which_the_browser_sends_the_cookie(tmp_path, serve):
    site = serve(tmp_path, "0.0.0.0")
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    status, _, body = site.request("/", **link)  # after the redirection, still without the cookie
    assert status == 200
    assert b'http-equiv="refresh" content="0; url=/"' in body
    assert b"static" not in body
    assert site.request("/", Sec_Fetch_Site="same-origin")[0] == 401  # so that it does not go round
    assert site.request("/api/studies", **link)[0] == 403


def test_the_token_is_not_on_the_command_line_of_the_browser(tmp_path, serve, monkeypatch, capsys):
    site = serve(tmp_path, "0.0.0.0")
    opened = []
    monkeypatch.setattr(port, "bind", lambda *_: site.address)
    monkeypatch.setattr(port, "serve", lambda _path, _address, started: started())
    monkeypatch.setattr(studies.webbrowser, "open", opened.append)
    given = argparse.Namespace(path=str(tmp_path), host="0.0.0.0", port=0, token=False, open=True)
    studies.dashboard(given)
    while not opened:
        pass
    assert site.address.here in capsys.readouterr().out
    assert site.address.door.token not in opened[0]
    place = opened[0].partition(str(site.address.door.port))[2]
    status, headers, _ = site.request(place)
    assert (status, headers["Location"]) == (303, "/")
    assert f"{site.address.door.cookie}={site.address.door.token};" in headers["Set-Cookie"]
    assert site.request(place)[0] == 401  # who has read it later


def test_an_address_that_needs_no_token_is_opened_as_it_is():
    address = bind("127.0.0.1", 0)
    address.socket.close()
    assert address.once() == address.here == address.url
