"""The same episodes and pictures on every processor, to the bit."""

import os
import subprocess
import sys

import pytest

from tests import bits
from tests.other_python import bits as printed

PLAIN = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4,-AVX",
}
"""A processor without fused or wide operations: for the kernel, NumPy, its library and the C library."""


def known():
    return bits.KNOWN.read_text(encoding="utf-8").splitlines()


def test_episodes_and_pictures_are_those_of_every_machine():
    assert list(bits.lines()) == known()


@pytest.mark.slow
@pytest.mark.parametrize("environment", [PLAIN, {"NUMBA_OPT": "1"}])
def test_a_processor_without_features_has_the_same_bits(environment, tmp_path):
    elsewhere = os.environ | environment | {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert printed(sys.executable, elsewhere).splitlines() == known()
    for program in (
        "from tests.render.test_bytes import EXPECTED, known; assert known() == EXPECTED",
        "from tests.suites.est.test_world import PLAYED, played; assert played() == PLAYED",
    ):
        subprocess.run([sys.executable, "-c", program], env=elsewhere, check=True)
