#!/bin/sh
# What became of a job: status.sh 'COMMAND THAT SUCCEEDS WHILE THE QUEUE KNOWS A JOB' NUMBER
# A job that the queue kills, for its memory or time, leaves no exit code: asking for that alone would be waiting for ever.
left=.snakemake/cluster/$2
if [ ! -f "$left" ]; then
    if $1 "$2" > /dev/null 2>&1; then
        echo running
        exit
    fi
    # It is gone; what it left may be seen from here some seconds later.
    for second in 1 2 3 4 5 6 7 8 9 10; do
        [ -f "$left" ] && break
        sleep 1
    done
fi
if [ "$(cat "$left" 2> /dev/null)" = 0 ]; then echo success; else echo failed; fi
rm -f "$left"
