"""Certificates for servers that encrypt their connections."""

from __future__ import annotations

import shutil
from pathlib import Path
from subprocess import run

import pytest


def new_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    files = folder / "cert.pem", folder / "key.pem"
    made = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    command = ["openssl", *made.split(), "subjectAltName=IP:127.0.0.1", "-out", str(files[0])]
    run([*command, "-keyout", str(files[1])], check=True, capture_output=True)
    return files
