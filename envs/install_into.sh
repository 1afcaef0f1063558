#!/bin/sh
# Installs packages into an environment: install_into.sh FOLDER ARGUMENTS...
# By uv; by pip, in minutes, where uv reaches no index (it does not read pip's configuration).
folder=$1
shift
.venv/bin/uv pip install --quiet --python "$folder/bin/python" "$@" ||
    .venv/bin/python -m pip --python "$folder/bin/python" install --quiet --disable-pip-version-check "$@"
