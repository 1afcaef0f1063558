#!/bin/sh
# Submits a job and prints its number: submit.sh COMMAND THAT SUBMITS A SCRIPT ... SCRIPT
# Where the command refuses, the reason is printed instead, for the log of the run. LSF's sentence has the number in it.
errors=$(mktemp)
said=$("$@" 2> "$errors")
code=$?
if [ $code = 0 ] && [ -z "$said" ]; then
    echo "$1 printed no number" >> "$errors"
    code=1
fi
if [ $code = 0 ]; then
    cat "$errors" >&2
    echo "$said" | sed "s/^Job <\([0-9]*\)> .*/\1/"
else
    echo "$said"
    cat "$errors"
fi
rm -f "$errors"
exit $code
