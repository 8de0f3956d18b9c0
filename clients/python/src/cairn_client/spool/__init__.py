"""A queue on disk: what waits survives the process, whatever ends it."""

from ._files import SpoolFiles
from ._letters import DeadLetter
from ._reading import SpoolContents, read_spool
from ._spool import Spool, SpoolCounters

__all__ = ["DeadLetter", "Spool", "SpoolContents", "SpoolCounters", "SpoolFiles", "read_spool"]
