#!/bin/sh
# Installs packages into an environment: install_into.sh FOLDER ARGUMENTS...
# By uv, with the certificates of the system, as those of a proxy are; by pip, in minutes, where uv reaches no index (it
# does not read pip's configuration). A lock is complete: with hashes, add --no-deps.
folder=$1
shift
export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}"
.venv/bin/uv pip install --quiet --python "$folder/bin/python" "$@" ||
    .venv/bin/python -m pip --python "$folder/bin/python" install --quiet --disable-pip-version-check "$@"
