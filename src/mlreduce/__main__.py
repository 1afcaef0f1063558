"""The command ``mlreduce``, as ``python -m mlreduce``."""

from mlreduce.commandline import main

if __name__ == "__main__":
    raise SystemExit(main())
