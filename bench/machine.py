"""The machine and the software that the figures were measured on."""

import os
import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

LIBRARIES = (
    "understudy", "numpy", "scipy", "pandas", "pyarrow", "pydantic", "sqlalchemy", "joblib", "starlette", "uvicorn",
)  # fmt: skip


def machine_facts() -> dict[str, str]:
    """Return processor, cores, memory and operating system in words."""
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "Processor": _cpu_model(),
        "Cores": str(os.cpu_count()),
        "Memory": f"{memory_gib:.0f} GiB",
        "System": _system_name(),
        "Load when the run began": f"{os.getloadavg()[0]:.1f} (average of the last minute)",
    }


def software_facts() -> dict[str, str]:
    """Return the versions of Python, the libraries and R."""
    found = {"Python": platform.python_version()} | {name: version(name) for name in LIBRARIES}
    if shutil.which("Rscript") is not None:
        said = subprocess.run(["Rscript", "-e", "cat(R.version$major, R.version$minor, sep = '.')"], capture_output=True, text=True, check=False)  # fmt: skip
        found["R"] = said.stdout.strip()
    return found


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown"


def _system_name() -> str:
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {platform.system()} {platform.machine()}"
    except OSError:
        return platform.platform()
