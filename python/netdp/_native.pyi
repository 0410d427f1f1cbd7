"""What cffi made of the public headers: their names, at run time."""
from typing import Any

ffi: Any
lib: Any
