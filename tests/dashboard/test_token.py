"""How a browser comes to the token, and what is said to one that has none."""

import argparse

import suffice.cli.studies as command
from suffice.dashboard import serving


def test_who_has_no_token_reads_a_sentence_in_place_of_the_front_page(tmp_path, serve):
    site = serve(tmp_path, "0.0.0.0")
    for path, headers, status in (("/", {}, 401), ("/?token=<b>", {}, 401), ("/", {"Host": "evil.example"}, 401)):
        found, about, body = site.request(path, **headers)
        assert (found, about["Content-Type"]) == (status, "text/html; charset=utf-8")
        assert b"pen the address that suffice dashboard has printed" in body
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
    monkeypatch.setattr(serving, "bind", lambda *_: site.address)
    monkeypatch.setattr(serving, "serve", lambda _path, _address, started: started())
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    given = argparse.Namespace(path=str(tmp_path), host="0.0.0.0", port=0, token=False, open=True)
    command.dashboard(given)
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
    address = serving.bind("127.0.0.1", 0)
    address.socket.close()
    assert address.once() == address.here == address.url
