"""Run joblib work on this machine or on a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import parallel_config

from understudy.errors import UnderstudyError, optional


@contextmanager
def parallel_backend(engine: str) -> Iterator[None]:
    """Run the joblib work of the block locally, or on the cluster at dask://host:port."""
    if engine == "local":
        yield
        return
    address = engine.removeprefix("dask://")
    if address == engine or not address:
        raise UnderstudyError(f"--engine is {engine!r}; give local, or dask://host:port of a Dask scheduler.")
    distributed = optional("distributed", extra="dask")
    try:
        client = distributed.Client(f"tcp://{address}", timeout="10s", set_as_default=True)
    except (OSError, TimeoutError) as error:
        raise UnderstudyError(
            f"No Dask scheduler answers at {address} ({type(error).__name__}). Start one with: dask scheduler"
        ) from None
    with client, parallel_config(backend="dask"):
        yield
