#!/bin/sh
# Goes on with the confirmatory run at its frozen commit, in a folder of its own, from the jobs that are kept here, and
# keeps what is finished: results/confirmatory/run.sh FOLDER STUDY ... (MLREDUCE_MIRROR as of snakemake; or `keep` for
# STUDY to keep alone). Timed jobs are not among them: they want a machine with nothing else to do.
set -e
frozen=91dcd722
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
if [ ! -d "$folder" ]; then
    git -C "$here" worktree add --detach "$folder" $frozen
    make -C "$folder" install
fi
cd "$folder"

run() {
    study=$1
    shift
    OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SkylakeX} .venv/bin/snakemake --cores all --configfile config/paper.yaml \
        --config "studies=[$study]" --quiet rules progress --rerun-incomplete --keep-going "$@"
}

keep() {
    for path in results/paper/*/scores; do
        study=$(basename "$(dirname "$path")")
        (cd results/paper && find "$study" -mindepth 3 -type f -not -path '*/logs/*' -not -path '*/fitted/*' | LC_ALL=C sort |
            tar --create --files-from - --owner 0 --group 0 --numeric-owner | xz -9) > "$here/$study.tar.xz.part"
        mv "$here/$study.tar.xz.part" "$here/$study.tar.xz"
    done
    (cd "$here" && sha256sum -- *.tar.xz > SHA256SUMS)
}

for study in "$@"; do
    if [ "$study" = keep ]; then
        keep
        continue
    fi
    if [ -f "$here/$study.tar.xz" ] && [ ! -d "results/paper/$study/scores" ]; then
        (cd "$here" && sha256sum --check --quiet SHA256SUMS)
        run "$study" scores --until prepare factorise # data first: what was made of them is not older then
        mkdir -p results/paper
        tar --extract --touch --file "$here/$study.tar.xz" --directory results/paper
        find "results/paper/$study/scores" -type f -exec touch {} +
    fi
    run "$study" scores
    keep
done
