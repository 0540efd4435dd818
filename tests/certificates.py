"""An authority of the tests' own and its certificates, made by the openssl program."""

import shutil
import ssl
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Certificate(NamedTuple):
    """The files of a certificate."""

    chain: Path
    key: Path


class Authority:
    """Signs certificates for names of this machine."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not on this machine")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.file = folder / "authority.pem"
        _openssl(
            "req", "-x509", *_KEY, "-keyout", str(folder / "authority.key"), "-out", str(self.file), "-days", "3650",
            "-subj", "/CN=Authority of the tests", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        )  # fmt: skip

    def certificate(self, name: str = "localhost", *, days: int = 90) -> Certificate:
        """Return a certificate for a name, valid for so many days; it is over if they are negative."""
        stem = self._folder / f"{name}{days}"
        made = Certificate(stem.with_suffix(".pem"), stem.with_suffix(".key"))
        request, extensions = stem.with_suffix(".csr"), stem.with_suffix(".ext")
        extensions.write_text(f"subjectAltName=DNS:{name}\nauthorityKeyIdentifier=keyid\n")
        _openssl("req", *_KEY, "-keyout", str(made.key), "-out", str(request), "-subj", f"/CN={name}")
        _openssl(
            "x509", "-req", "-in", str(request), "-CA", str(self.file), "-CAkey", str(self._folder / "authority.key"),
            "-CAcreateserial", "-days", str(days), "-extfile", str(extensions), "-out", str(made.chain),
        )  # fmt: skip
        return made

    def trusted(self) -> ssl.SSLContext:
        """Return what a client needs in order to trust this authority alone."""
        return ssl.create_default_context(cafile=self.file)


def _openssl(*words: str) -> None:
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
