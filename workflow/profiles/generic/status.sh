#!/bin/sh
# What became of a job: status.sh 'COMMAND THAT SUCCEEDS WHILE THE QUEUE KNOWS A JOB' NUMBER
# A job that the queue kills, for its memory or time, leaves no exit code. It has failed when the queue does not know it any
# more and no exit code is seen from here after ten seconds. A queue that cannot be asked says nothing about the job.
left=.snakemake/cluster/$2
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    [ -f "$left" ] && break
    if answer=$($1 "$2" 2>&1); then
        echo running
        exit
    fi
    case $answer in
    '' | *'not exist'* | *[Uu]'nknown '[Jj]ob* | *'is not found'* | *'has finished'* | *[Ii]'nvalid job'* | *[Nn]'o such'*) ;;
    *)
        if [ "$attempt" = 3 ]; then
            echo "The queue does not answer about job $2, which is taken to run: $answer" >&2
            echo running
            exit
        fi
        ;;
    esac
    sleep 1
done
if [ "$(cat "$left" 2> /dev/null)" = 0 ]; then echo success; else echo failed; fi
rm -f "$left"
