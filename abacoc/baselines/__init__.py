"""The methods the paper compares with. `abacoc.methods` has them by name."""
