#!/bin/sh
# Resolves the lock files anew by uv (make lock). With the extras of packages, which some versions of pip want to see where
# they check hashes.
set -e
export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}"
cd "$(dirname "$0")/.."
resolve() {
    .venv/bin/uv pip compile "$@" --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url \
        --no-emit-find-links --no-strip-extras --custom-compile-command "make lock" --quiet
}
newest="--universal --fork-strategy fewest --upgrade"
# shellcheck disable=SC2086  # options are words
{
    resolve pyproject.toml --extra workflow --extra dev $newest --output-file envs/requirements.lock
    resolve pyproject.toml --extra docs --constraint envs/requirements.lock $newest --output-file envs/docs.lock
    resolve --group benchmark --constraint envs/requirements.lock $newest --output-file envs/benchmark.lock
    resolve --group release --constraint envs/requirements.lock $newest --output-file envs/release.lock
    resolve --group article --constraint envs/requirements.lock $newest --output-file envs/article.lock
}
resolve pyproject.toml --extra data --extra plot --extra test --resolution lowest-direct --output-file envs/oldest.lock
{
    echo "# uv, which installs the rest in a tenth of pip's time. Taken from requirements.lock by: make lock"
    awk '/^[a-z]/ { wanted = /^uv==/ } wanted' envs/requirements.lock
} > envs/installer.lock
