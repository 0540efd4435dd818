"""Power: the whole study simulated over a grid of sizes and effects."""
