"""Checks on the server's own machine: files, disk, backups, receivers of alerts, and whom people can write to."""

import stat
from collections.abc import Iterator
from pathlib import Path

from understudy.actions.backup import BackupManifest, counts_of, faults_in, manifest_in
from understudy.actions.doctor_site import Examined, Patient
from understudy.actions.recruit import RECRUITMENT
from understudy.actions.run_folder import DATABASE, RECORDINGS, Run, existing_run
from understudy.schema import blocks_in
from understudy.serve.alert_channels import Alert, NotDelivered
from understudy.serve.alerts import E_MAIL

_PRIVATE = (
    "serve.secret",
    DATABASE,
    "answers.json",
    "events.sqlite",
    "people.sqlite",
    "researchers.sqlite",
    RECRUITMENT,
    RECORDINGS,
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_RESERVED = ("example", "invalid", "localhost", "test", "example.com", "example.net", "example.org")
"""Names that are kept for documentation, so that nobody has a mailbox there."""
_N_NAMED = 3
_GB = 1e9


def machine_checks(patient: Patient) -> Iterator[Examined]:
    """Examine what the doctor was given of the machine; what it was not given is named."""
    if patient.folder is None:
        yield Examined("files, disk, contact", None, "give --run and the folder of the study, on the server's machine")
    else:
        run = existing_run(patient.folder)
        yield _file_modes(patient.folder)
        yield _disk(patient.folder, patient)
        yield _erasing(run)
        yield _contact(run, patient)
    yield _backup(patient)
    if not patient.channels:
        yield Examined("alerts", None, "give --alert and the receivers that understudy serve has")
    for channel in patient.channels:
        try:
            channel.send(Alert("test", "This is a test by understudy doctor.", patient.clock()))
        except NotDelivered as error:
            yield Examined("alerts", False, f"{channel.label} did not get the test: {error}; correct --alert.")
        else:
            yield Examined("alerts", True, f"{channel.label} has a test message; look whether it arrived")


def _file_modes(folder: Path) -> Examined:
    private = [path for name in _PRIVATE for path in sorted(folder.glob(f"{name}*"))]
    private += sorted((folder / RECORDINGS).rglob("*"))
    opened = [path for path in (folder, *private) if path.stat().st_mode & _OTHERS]
    if opened:
        return Examined("files", False, f"Other accounts can read {_listed(opened)}; run: chmod -R go-rwx {folder}")
    strange = [path for path in private if path.stat().st_uid != folder.stat().st_uid]
    if strange:
        return Examined(
            "files", False,
            f"{_listed(strange)} belongs to another account than {folder}, so that the server cannot write it; run: "
            f"chown -R {folder.owner()} {folder}",
        )  # fmt: skip
    return Examined("files", True, f"only {folder.owner()} can read them")


def _listed(paths: list[Path]) -> str:
    return ", ".join(map(str, paths[:_N_NAMED])) + (", …" if len(paths) > _N_NAMED else "")


def _disk(folder: Path, patient: Patient) -> Examined:
    free_gb = patient.free_bytes(folder) / _GB
    if free_gb < patient.low_disk_gb:
        return Examined(
            "disk", False,
            f"{free_gb:.1f} GB are free, and {patient.low_disk_gb:g} GB are wanted; make room, or answers cannot be stored.",
        )  # fmt: skip
    return Examined("disk", True, f"{free_gb:.0f} GB are free")


def _erasing(run: Run) -> Examined:
    """Look where a database may keep what people had erased."""
    with run.open_log() as log:
        remains = log.remains()
    if remains is None:
        return Examined("erasing", True, "overwrites the files of the run")
    if remains.not_owned or remains.sampled:
        return Examined(
            "erasing", False,
            f"What is erased stays in the files of the database: the server's role does not own {', '.join(remains.not_owned)}, "
            "so it cannot rewrite them; make it their owner (ALTER TABLE … OWNER TO …).",
        )  # fmt: skip
    if remains.is_unfinished:
        return Examined(
            "erasing", False,
            "The bytes of somebody who was erased are still in the files of the database; close programs that read it for "
            "long, and the server removes them within a minute.",
        )  # fmt: skip
    in_log = [setting for setting in remains.copies if setting.startswith("log_")]
    if in_log:
        return Examined(
            "erasing", False,
            f"The database writes statements with people's answers and ids into its own log ({', '.join(in_log)}); turn that "
            "off, and delete the old logs.",
        )  # fmt: skip
    kept = "its write-ahead log keeps what was erased until it is written over"
    if remains.copies:
        kept += f"; so do copies of that log ({', '.join(remains.copies)}), until you delete them"
    return Examined("erasing", True, f"rewrites the tables; {kept}")


def _backup(patient: Patient) -> Examined:
    if patient.backup is None:
        return Examined("backup", None, "give --backup and the folder that understudy backup writes")
    manifest = manifest_in(patient.backup)
    run = "RUN" if patient.folder is None else patient.folder
    command = f"understudy backup {run} {patient.backup} --every 5"
    if manifest is None:
        return Examined("backup", False, f"There is none in {patient.backup}; run: {command}")
    hours = (patient.clock() - manifest.made_ms) / 3_600_000
    if hours > patient.backup_hours:
        return Examined(
            "backup", False, f"The last one is {hours:.0f} hours old; check that this still runs: {command}"
        )
    fault = next(_backup_faults(patient.backup, manifest, patient.folder), None)
    if fault is not None:
        return Examined("backup", False, fault)
    minutes = round(hours * 60)
    ago = f"{minutes} minute{'' if minutes == 1 else 's'} ago"
    return Examined("backup", True, f"{counts_of(manifest)}, {ago}")


def _backup_faults(backup: Path, manifest: BackupManifest, folder: Path | None) -> Iterator[str]:
    """Yield why a backup could not save this run, although it is new."""
    if folder is not None and existing_run(folder).script.digest != manifest.study_digest:
        yield f"{backup} holds {manifest.study_name!r} in another version, and not what {folder} serves; give each run its own folder."
    if backup.stat().st_mode & _OTHERS:
        yield f"Other accounts can read {backup}, which holds ids and secrets; run: chmod go-rwx {backup}"
    yield from faults_in(backup)


def _contact(run: Run, patient: Patient) -> Examined:
    pages = [block.task.params for block in blocks_in(run.script.study.flow) if block.task.name == "consent"]
    texts = [str(page.get(field) or "") for page in pages for field in ("contact", "ethics")]
    addresses = sorted({found for text in texts for found in E_MAIL.findall(text)})
    if not addresses:
        return Examined(
            "contact", False,
            "The consent page gives people no e-mail address; write those of the researchers and of the ethics board into "
            "its fields contact and ethics.",
        )  # fmt: skip
    for address in addresses:
        domain = address.rpartition("@")[2].lower()
        if any(domain == name or domain.endswith(f".{name}") for name in _RESERVED):
            return Examined("contact", False, f"{address} on the consent page is an example; write a real address.")
        if not patient.has_address(domain):
            return Examined(
                "contact", False,
                f"{address} on the consent page cannot work: {domain} is not found; correct it, and write to it once.",
            )  # fmt: skip
    return Examined("contact", True, f"{', '.join(addresses)}; write to each once")
