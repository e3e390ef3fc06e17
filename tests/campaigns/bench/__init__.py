"""The benchmark: `make bench` prints lines of `name value unit`. Units: ms, x, kB (1,000 bytes), MB, s, calls,
things, times."""
