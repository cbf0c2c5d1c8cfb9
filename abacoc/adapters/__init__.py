"""The learners in the clothes of other libraries: River and scikit-learn.

Each module needs its library (the extras ``river`` and ``sklearn``), and is imported by name:
``from abacoc.adapters.river import AutoAdjClassifier``.
"""
