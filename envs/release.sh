#!/bin/sh
# The package as users get it, in environments of its own: release.sh build|test-wheel|test-oldest|sbom|audit (make calls it).
set -e
cd "$(dirname "$0")/.."
python=${PYTHON:-python3} bin=.venv/bin dist=.venv/dist clean=.venv/clean tools=.venv/release

fresh() { "$python" -m venv --clear --without-pip "$1"; }

build() {
    rm -rf $dist
    $bin/python -m build --no-isolation --outdir $dist . > /dev/null
    [ "$(stat -c %s $dist/*.whl)" -lt 1100000 ] || { echo "the wheel has 1.1 megabytes or more"; exit 1; }
}

# Versions of dependencies are the locked ones, so that only a change of ours can fail.
test_wheel() {
    build
    fresh $clean
    sed -n 's/ *\\$//; s/\[.*\]==/==/; /^[a-z].*==/p' envs/requirements.lock > $clean/constraints.txt
    envs/install_into.sh $clean -c $clean/constraints.txt "$(ls $dist/*.whl)"
    (cd $clean && bin/python ../../tests/clean_install.py)
    envs/install_into.sh $clean -c $clean/constraints.txt "mlreduce[plot]" # as messages print it, with no wheel named
    (cd $clean && bin/python ../../tests/clean_install.py plot)
    LOCKS=today $bin/python -m pytest --quiet tests/test_installation.py
}

# The lower bounds of pyproject.toml, with Python 3.11; without the extra `workflow` its tests are left out.
test_oldest() {
    build
    fresh .venv/oldest
    envs/install_into.sh .venv/oldest --require-hashes --no-deps -r envs/oldest.lock
    envs/install_into.sh .venv/oldest --no-deps --no-index $dist/*.whl
    ln -s "$PWD/src/mlreduce_studies" .venv/oldest/lib/python3*/site-packages/ # not in the wheel; some tests read it
    OMP_NUM_THREADS=1 .venv/oldest/bin/python -m pytest -m "not slow" --numprocesses auto --dist loadfile
}

tools() {
    [ $tools/.installed -nt envs/release.lock ] && return
    fresh $tools
    envs/install_into.sh $tools --require-hashes --no-deps -r envs/release.lock
    touch $tools/.installed
}

# Packages and licences behind the wheel that was tested, as a CycloneDX file and as a table.
sbom() {
    test_wheel
    tools
    mkdir -p .venv/sbom
    $tools/bin/cyclonedx-py environment --output-reproducible --of JSON -o .venv/sbom/mlreduce.cdx.json $clean/bin/python
    $bin/python envs/list_licences.py .venv/sbom/mlreduce.cdx.json > .venv/sbom/licences.md
}

# Known vulnerabilities of the locked packages; asks the package index.
audit() {
    tools
    status=0
    for lock in envs/*.lock leaderboard/*.lock; do
        echo "$lock"
        $tools/bin/pip-audit --strict --disable-pip --require-hashes -r "$lock" || status=1
    done
    return $status
}

case $1 in
    build) build ;;
    test-wheel) test_wheel ;;
    test-oldest) test_oldest ;;
    sbom) sbom ;;
    audit) audit ;;
    *) echo "$0: choose build, test-wheel, test-oldest, sbom or audit" >&2; exit 2 ;;
esac
