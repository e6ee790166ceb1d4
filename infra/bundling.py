"""Packages functions/ without Docker: `uv` fetches the wheels of the Lambda's architecture, Python compiles."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsii
from aws_cdk import AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_
from uv import find_uv_bin

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"
PLATFORMS = {"arm64": "aarch64-manylinux2014", "x86_64": "x86_64-manylinux2014"}


def functions_code(architecture: str) -> lambda_.Code:
    """One asset for all functions: CDK bundles equal options once."""
    bundling = BundlingOptions(image=DockerImage.from_registry("unused"), local=UvBundling(architecture))
    return lambda_.Code.from_asset(
        str(FUNCTIONS),
        exclude=["**/__pycache__"],
        # A hash of the source alone would go on using an old asset after a change of architecture or of this file.
        asset_hash_type=AssetHashType.OUTPUT,
        bundling=bundling,
    )


@jsii.implements(ILocalBundling)
class UvBundling:
    """Dependencies, our packages, and bytecode that a cold start accepts."""

    def __init__(self, architecture: str) -> None:
        self.platform = PLATFORMS[architecture]

    # jsii passes the options only to a method that names one of them.
    def try_bundle(self, output_dir: str, *, image: DockerImage, **_: Any) -> bool:  # noqa: ARG002
        if sys.version_info[:2] != (3, 13):
            raise RuntimeError(f"bytecode for Lambda's Python 3.13 cannot be compiled by {sys.version}")
        self._install_dependencies(output_dir)
        ignored = shutil.ignore_patterns("__pycache__", "requirements.*")
        shutil.copytree(FUNCTIONS, output_dir, ignore=ignored, dirs_exist_ok=True)
        compile_for_cold_start(output_dir)
        return True

    def _install_dependencies(self, output_dir: str) -> None:
        target = ["--target", output_dir, "--python-platform", self.platform, "--python-version", "3.13"]
        # The list is complete, less what the runtime brings (boto3): hence --no-deps.
        what = ["--requirements", str(FUNCTIONS / "requirements.txt"), "--no-deps", "--only-binary", ":all:"]
        lean = ["--no-installer-metadata", "--no-compile-bytecode"]
        subprocess.run([find_uv_bin(), "pip", "install", "--quiet", *target, *what, *lean], check=True)


def compile_for_cold_start(folder: str) -> None:
    """Bytecode that Python takes without looking at the source's date.

    CDK dates every file 1980 and /var/task is read-only, so ordinary bytecode would be rejected and the source
    compiled again on each cold start. A fixed hash seed and prefix make the output, hence the asset's hash, repeatable.
    """
    command = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    prefix = ["-s", folder, "-p", "/var/task"]
    subprocess.run([*command, *prefix, folder], check=True, env={"PYTHONHASHSEED": "0"})
