"""Kind pages: styled by the front end, readable without it, and never able to carry markup."""

from pathlib import Path
from typing import Any

import httpx

from tests.serve.stage_door import folder_of, played, server
from tests.small_studies import two_groups
from understudy.serve import Settings
from understudy.serve.wire import STYLE, Link, notice_page

STYLES = Path(__file__).parents[2] / "frontend" / "src" / "style"


def text_of(title: str, sentence: str, link: Link | None = None) -> str:
    return bytes(notice_page(404, title, sentence, link=link).body).decode()


def test_a_page_takes_its_style_from_the_front_end_and_holds_none_itself() -> None:
    page = text_of("Gone", "Ask again.")
    assert f'<link rel="stylesheet" href="/static/{STYLE}">' in page
    assert "<style" not in page
    assert "style=" not in page
    assert (STYLES / STYLE).is_file()


def test_what_a_page_says_is_text_and_no_markup() -> None:
    page = text_of("<b>", "<script>", Link('/"><i>', "<u>"))
    assert [word for word in ("<b>", "<script>", "<i>", "<u>") if word in page] == []


def test_the_style_is_asked_for_again_since_its_name_stays(tmp_path: Path) -> None:
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "assets" / STYLE).write_text("h1 { color: teal }")

    async def play(client: httpx.AsyncClient) -> Any:
        return await client.get(f"/static/{STYLE}")

    with server(folder_of(two_groups(), tmp_path / "run"), settings=Settings(web=web)) as app:
        got = played(app, play)
    assert (got.status_code, got.headers["cache-control"]) == (200, "no-cache")


def test_the_first_words_are_in_the_language_of_the_study(tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    for name in ("player.html", "player.de.html"):
        (web / name).write_text(f"<p>{name}</p>")
    german = two_groups().model_copy(update={"language": "de-AT"})
    other = two_groups().model_copy(update={"language": "fr", "name": "other"})

    async def play(client: httpx.AsyncClient) -> list[str]:
        return [(await client.get(f"/s/{study.name}")).text for study in (german, other)]

    folders = [folder_of(study, tmp_path / study.name) for study in (german, other)]
    with server(*folders, settings=Settings(web=web)) as app:
        assert played(app, play) == ["<p>player.de.html</p>", "<p>player.html</p>"]


def test_a_link_that_ends_in_a_slash_leads_to_the_study_too(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "player.html").write_text("<div id=player></div>")

    async def play(client: httpx.AsyncClient) -> list[int]:
        return [(await client.get(path)).status_code for path in ("/s/two-groups/?PROLIFIC_PID=5f1", "/s/other/")]

    with server(folder_of(two_groups(), tmp_path / "run"), settings=Settings(web=tmp_path / "web")) as app:
        assert played(app, play) == [200, 404]
