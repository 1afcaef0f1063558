#!/bin/sh
# Programs of tests and benchmarks that are Debian's packages, where they are missing: debian.sh chromium|programs|slurm|weka
# Without a configuration in /etc/slurm, Debian starts none of Slurm as a service.
PATH="$PATH:/usr/sbin"
case $1 in
    chromium) needs=chromium packages=chromium ;;
    programs) needs="octave Rscript" packages="octave r-base-core" ;;
    slurm) needs="slurmctld slurmd slurmdbd mariadbd srun munged"
        packages="slurmctld slurmd slurmdbd slurm-client mariadb-server munge" ;;
    weka) needs=/usr/share/java/weka.jar packages="weka default-jre-headless" ;;
    *) echo "$0: choose chromium, programs, slurm or weka" >&2; exit 2 ;;
esac
missing=
for need in $needs; do
    command -v "$need" > /dev/null || [ -f "$need" ] || missing=yes
done
[ -n "$missing" ] || exit 0
# shellcheck disable=SC2086  # packages are words
{ [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null && timeout 120 apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq --no-install-recommends $packages > /dev/null; } ||
    echo "$1 is not installed, which takes root and Debian's packages ($packages)."
