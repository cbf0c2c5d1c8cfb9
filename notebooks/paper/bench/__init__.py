"""``abacoc bench``: the same streams through this project and its peers, as ratios.

Nothing heavy is imported here, so that ``abacoc bench --help`` is quick:

>>> from paper.bench import PEERS, PROFILES
>>> "plain" in PEERS, sorted(PROFILES)
(True, ['full', 'quick', 'tiny'])
"""

from paper.bench.profiles import PEERS, PROFILES, STREAMS, Profile

__all__ = ["PEERS", "PROFILES", "STREAMS", "Profile"]
