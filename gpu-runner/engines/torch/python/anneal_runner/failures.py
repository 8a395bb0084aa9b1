"""The kind of an exception that a request met, and whether the process survives it."""

import traceback

import torch

from .errors import RunnerError


def failure_fields(error: BaseException) -> dict[str, str]:
    """
    Returns the fields of a request's `error`. Any other exception is `internal`; its traceback goes to the log.

    Raises the error again when no other request could go on either: the process is to end, or its device is broken.
    """
    if isinstance(error, RunnerError):
        return error.fields()
    if is_out_of_memory(error):
        return {"kind": "out_of_memory", "message": "Out of memory: fewer or shorter requests at once may fit"}
    if isinstance(error, (KeyboardInterrupt, SystemExit)) or _is_of_device(error):
        raise error
    # Panics of the Rust packages are no `Exception`, and concern one request all the same.
    traceback.print_exception(error)
    return {"kind": "internal", "message": f"The engine failed at this request ({type(error).__name__})"}


def is_out_of_memory(error: BaseException) -> bool:
    """True for a GPU that is out of memory, and for a CPU whose allocator was refused."""
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or "can't allocate memory" in str(error)


def _is_of_device(error: BaseException) -> bool:
    """True for faults of CUDA: all that the process asks of the device after one fails too."""
    return isinstance(error, torch.AcceleratorError) or (isinstance(error, RuntimeError) and "CUDA error" in str(error))
