"""The ready studies of this protocol, by name."""

import os
from collections.abc import Callable

from understudy.protocols.ross2021.digits import decoder_folder, ross2021_mnist, ross2021_thinkaloud
from understudy.protocols.ross2021.synthetic import ross2021_synthetic
from understudy.schema import Study


def ready_studies() -> dict[str, Callable[[], Study]]:
    """Return the builders of the ready studies, with trained decoders from the data folder."""
    return {
        "ross2021-mnist": lambda: ross2021_mnist(folder=decoder_folder(os.environ)),
        "ross2021-synthetic": ross2021_synthetic,
        "ross2021-thinkaloud": lambda: ross2021_thinkaloud(folder=decoder_folder(os.environ)),
    }
