"""``abacoc bench``: the same streams through this project and its peers, as ratios."""
