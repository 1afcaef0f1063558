#!/bin/sh
# Goes on with the confirmatory run at its frozen commit, in a folder of its own, from the jobs that are kept here, and
# keeps what is finished: results/confirmatory/run.sh FOLDER STUDY ... (MLREDUCE_MIRROR as of snakemake; or `keep` for
# STUDY to keep alone). Jobs that take times are not run: they want a machine with nothing else to do.
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
        unless= # details that are too large to keep are made anew, by fits
        [ "$(du -sk "results/paper/$study/details" | cut -f 1)" -lt 8000 ] || unless='*/details/*'
        (cd results/paper && find "$study" -mindepth 3 -type f -not -path '*/logs/*' -not -path '*/fitted/*' \
            -not -path "$unless" | LC_ALL=C sort |
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
        made=fit # first, so that what was made of it is not older
        tar --list --file "$here/$study.tar.xz" | grep -q /details/ && made='prepare factorise'
        run "$study" scores --until $made
        mkdir -p results/paper
        tar --extract --touch --file "$here/$study.tar.xz" --directory results/paper
        # Not older than details: times of jobs are outputs to Snakemake too.
        find "results/paper/$study/benchmarks" "results/paper/$study/scores" -type f -exec touch {} +
    fi
    run "$study" scores
    keep
done
