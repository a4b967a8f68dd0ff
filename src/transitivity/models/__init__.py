"""The models that are compared, one file each, and the registry that finds them.

A model is a file with one class that has a `name`. The files of this folder and of any further folder are found by
looking, so a baseline is added by adding its file.
"""

import lazy_loader

# The exports are listed in __init__.pyi; each module is imported when one of its names is first used (SPEC 1).
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
