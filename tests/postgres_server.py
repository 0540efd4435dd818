"""A PostgreSQL server of the tests' own: started from the machine's binaries, killed and restarted at will."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

_OWNER = "understudy"
_SETTINGS = ("listen_addresses=", "max_connections=50", "shared_buffers=16MB")


def binaries() -> Path | None:
    """Return the folder that holds initdb and postgres, newest version first, or None."""
    found = [Path(path).resolve().parent for name in ("initdb", "postgres") if (path := shutil.which(name))]
    by_version = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True
    )
    for folder in [*by_version, *found]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


class PostgresServer:
    """One server over a socket in a temporary folder, with fsync on unless told, as somebody who is not root."""

    def __init__(self, folder: Path, programs: Path, *settings: str) -> None:
        self.folder = folder
        self._programs = programs
        self._settings = [part for setting in (*_SETTINGS, *settings) for part in ("-c", setting)]
        self._account = _unprivileged_account()
        if self._account is not None:
            os.chown(folder, self._account.pw_uid, self._account.pw_gid)
        made = self._begin(
            "initdb", "-D", str(folder / "data"), "-U", _OWNER, "-A", "trust", "-E", "UTF8", "--locale=C"
        )
        if made.wait() != 0:
            raise RuntimeError((folder / "server.log").read_text())
        self._process: subprocess.Popen[bytes] | None = None
        self._n_places = 0
        self._engine = sa.create_engine(self.url("postgres"), poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")

    def start(self) -> None:
        """Start the server, or start it again after a crash, and wait until it answers."""
        places = ("-D", str(self.folder / "data"), "-k", str(self.folder))
        self._process = self._begin("postgres", *places, *self._settings)
        self.wait_until_ready()

    def stop(self) -> None:
        """Stop the server at once; nobody needs its data any more."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(timeout=30)

    def wait_until_ready(self) -> None:
        """Return as soon as a query is answered; restart the server where it gave up."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self._process is not None and self._process.poll() is not None:
                self.start()
                return
            with contextlib.suppress(sa.exc.OperationalError):
                self.pids()
                return
            time.sleep(0.01)
        raise TimeoutError((self.folder / "server.log").read_text()[-2000:])

    def new_database(self) -> str:
        """Create an empty database and return its URL."""
        self._n_places += 1
        name = f"log_{self._n_places}"
        with self._admin() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        return self.url(name)

    def new_schema(self) -> str:
        """Create an empty schema, which costs far less than a database, and return a URL that sees only it."""
        self._n_places += 1
        name = f"log_{self._n_places}"
        with self._admin() as connection:
            connection.execute(sa.text(f"CREATE SCHEMA {name}"))
        return f"{self.url('postgres')}&options=-csearch_path%3D{name}"

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql+psycopg://{_OWNER}@/{database}?host={self.folder}"

    def wait_until_left(self, url: str) -> None:
        """Return as soon as no process serves a database any more."""
        deadline = time.monotonic() + 30
        while self.pids(only_of=url):
            if time.monotonic() > deadline:
                raise TimeoutError(f"somebody still uses {url}")
            time.sleep(0.002)

    def pids(self, *, only_of: str | None = None) -> list[int]:
        """Return the processes of the server, or those that serve clients of one database, given by its URL."""
        database = sa.make_url(only_of).database if only_of else None
        query = sa.text(
            "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (:name IS NULL OR datname = :name)"
        )
        with self._admin() as connection:
            return list(connection.execute(query.bindparams(sa.bindparam("name", database, sa.Text))).scalars())

    def kill_backends(self, url: str) -> None:
        """Kill -9 the process that serves a database; the server then recovers by itself."""
        self._kill(self.pids(only_of=url))

    def kill_all(self) -> None:
        """Kill -9 the whole server, its first process first so that nobody tidies up."""
        if self._process is not None:
            pids = self.pids()
            self._process.kill()
            self._process.wait(timeout=30)
            self._kill(pids)

    def _kill(self, pids: list[int]) -> None:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    @contextlib.contextmanager
    def _admin(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            yield connection

    def _begin(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        account = self._account
        with (self.folder / "server.log").open("ab") as output:
            return subprocess.Popen(
                [str(self._programs / program), *arguments],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                user=account.pw_uid if account else None,
                group=account.pw_gid if account else None,
                extra_groups=[] if account else None,
            )


@contextlib.contextmanager
def running_server(programs: Path, *settings: str) -> Iterator[PostgresServer]:
    """Run a server for as long as the block lasts, and leave nothing behind."""
    # Not under pytest's own folder: that one is closed to other accounts, and its path is long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="understudy-pg-"))
    server = PostgresServer(folder, programs, *settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _unprivileged_account() -> pwd.struct_passwd | None:
    """Return whom to run as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    accounts = {account.pw_name: account for account in pwd.getpwall()}
    return accounts.get("postgres") or accounts["nobody"]
