"""The asset: what is in it, and that a cold start accepts its bytecode."""

import struct
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from aws_cdk import DockerImage

from infra.bundling import FUNCTIONS, UvBundling

UNCHECKED_HASH = 0b01
"""The flags in a .pyc's second word: by hash, and not to be checked. https://peps.python.org/pep-0552/"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled_in(tmp_path_factory.mktemp("asset"))


def bundled_in(folder: Path, architecture: str = "arm64") -> Path:
    assert UvBundling(architecture).try_bundle(str(folder), image=DockerImage.from_registry("unused"))
    return folder


def files(folder: Path, pattern: str = "*") -> Iterator[Path]:
    return (path for path in sorted(folder.rglob(pattern)) if path.is_file())


def digest(folder: Path) -> str:
    parts = (str(path.relative_to(folder)).encode() + path.read_bytes() for path in files(folder))
    return sha256(b"".join(parts)).hexdigest()


def test_it_holds_our_packages_and_their_dependencies(bundle: Path):
    ours = {str(path.relative_to(FUNCTIONS)) for path in FUNCTIONS.rglob("*.py")}
    assert ours <= {str(path.relative_to(bundle)) for path in files(bundle, "*.py")}
    assert (bundle / "aws_lambda_powertools").is_dir()
    assert (bundle / "pydantic").is_dir()


def test_it_leaves_out_what_the_runtime_brings(bundle: Path):
    assert not [name for name in ("boto3", "botocore", "urllib3") if (bundle / name).exists()]


def test_native_code_is_for_the_architecture_of_the_function(bundle: Path):
    libraries = [path.name for path in files(bundle, "*.so")]
    assert libraries
    assert all("aarch64" in name for name in libraries)


def test_all_bytecode_is_taken_without_a_look_at_the_source(bundle: Path):
    for source in files(bundle, "*.py"):
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert struct.unpack("<I", compiled.read_bytes()[4:8]) == (UNCHECKED_HASH,), compiled


def test_the_same_source_makes_the_same_asset(bundle: Path, tmp_path: Path):
    assert digest(bundled_in(tmp_path)) == digest(bundle)
