"""Records of your own GPUs, made for fits: square waves, rests and, when asked, locked clocks and caps. `tidewatt log` runs it."""
