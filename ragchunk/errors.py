"""Every error ragchunk raises on purpose.

    RagchunkError
    ├── SettingsError     a size, overlap, unit, tail or name that cannot work (also a ValueError)
    ├── LoadError         a folder or file that cannot be read
    │   └── FolderNotFound    (also a FileNotFoundError)
    └── ModelError        a model that cannot be found, or is not the one it should be

The message of each names the numbers or names involved and the way out; the screen and the
command line print it as it stands.
"""


class RagchunkError(Exception):
    """Base of all errors that ragchunk raises on purpose."""


class SettingsError(RagchunkError, ValueError):
    """A setting that cannot work, found before any work is done."""


class LoadError(RagchunkError):
    """A folder or file that cannot be read as text."""


class FolderNotFound(LoadError, FileNotFoundError):
    """A folder that is not there, or is not a folder."""


class ModelError(RagchunkError):
    """A model that cannot be found, cannot be loaded, or is not the one it claims to be."""
