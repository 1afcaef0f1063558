#!/bin/sh
# Installs the locked set and this checkout into .venv: install.sh PYTHON [TARGET] (make install).
set -e
python=$1 target=$2
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "mlreduce needs Python 3.11 or later; $python is older. Name another with: make PYTHON=python3.12 $target"
    exit 1
}
echo "installing the locked packages into .venv"
"$python" -m venv .venv
pip() { .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }
pip --require-hashes --no-deps -r envs/installer.lock
UV_COMPILE_BYTECODE=1 envs/install_into.sh .venv --require-hashes --no-deps -r envs/requirements.lock
pip --no-deps --no-build-isolation --no-index -e .
# From the folder of packages: Python reads no other letters in the C locale.
printf '../../../../src\n' > "$(ls .venv/lib/python*/site-packages/*_mlreduce.pth)"
.venv/bin/python -m compileall -q src
.venv/bin/mlreduce doctor --compile > /dev/null
