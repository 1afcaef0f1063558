"""The engine of the spectral methods: quadratic forms, training sets, the solver and its decompositions."""
