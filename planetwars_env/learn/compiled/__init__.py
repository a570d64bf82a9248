"""The graph network as compiled kernels on the CPU; `network.can_run` is the switch between them and plain torch."""
