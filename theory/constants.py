"""The constants of the bounds, in one place.

The steps of the ledger check these numbers; the bounds, the tables and the figures use them.
"""

# Theorem 1: R_L(T) <= PHASES (BALL sqrt(C) 2^d + RADII L) T^((1+d)/(2+d))
PHASES = 1.26
BALL = 2.5
RADII = 1.5

# One ball with n examples loses at most ONE_BALL sqrt(n + 1) - ONE_BALL_LESS.
ONE_BALL = 0.75
ONE_BALL_LESS = 0.06

# Sharpened: R_L(T) <= (SHARP_BALLS sqrt(C) 2^(D/2) + SHARP_RADII L) T^((1+D)/(2+D))
SHARP_BALLS = 1.058
SHARP_RADII = 1.586
