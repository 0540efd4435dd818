"""One run of the payer in a process of its own, which the platform may kill in the middle of any request."""

from pathlib import Path

from tests.fake_prolific import TOKEN
from tests.paid_people import Hands, book_of, log_in
from tests.paid_studies import BASE
from understudy.actions.pay import pay, survey
from understudy.record import open_log
from understudy.recruiters.prolific import ProlificDesk, cents
from understudy.recruiters.prolific_api import ProlificApi


def pay_once(folder: str, address: str, study_id: str, now_ms: int) -> None:
    """Look, pay and look again, as the command does."""
    api = ProlificApi(TOKEN, address=address, pause=lambda _: None)
    desk = ProlificDesk(api, study_id, reward_cents=cents(BASE))
    with open_log(log_in(Path(folder))) as log:
        book = book_of(log, Hands(now_ms))
        pay(book, desk, survey(book, desk))
        survey(book, desk)
    api.close()
