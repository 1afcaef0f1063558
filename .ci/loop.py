"""Print the processor seconds of a loop of five million passes: the speed of the machine."""

import time


def run_loop() -> None:
    """Pass five million times."""
    for _ in range(5_000_000):
        pass


start = time.process_time()
run_loop()
print(f"{time.process_time() - start:.4f}")
