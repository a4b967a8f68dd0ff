"""How transitive is a game? Payoffs, rating models and the disc decomposition.

The library under the pipeline that reproduces "On the Limitations of the Elo, Real-World Games are Transitive, not
Additive" (Bertrand, Czarnecki and Gidel, AISTATS 2023).
"""

import lazy_loader

# The exports are listed in __init__.pyi; each module is imported when one of its names is first used (SPEC 1).
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
