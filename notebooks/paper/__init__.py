"""What the notebooks share: the grids behind the tables, the published numbers, the claims."""
