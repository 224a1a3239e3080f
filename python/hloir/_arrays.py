"""Arrays for modules: numpy in and out without a copy, anything with __dlpack__ or __array__ in, ml_dtypes for narrow types."""

from __future__ import annotations

from typing import Any, Iterator

import ml_dtypes
import numpy as np

from hloir._hloir import Shape, _Executable


def dtype_of(shape: Shape) -> np.dtype[Any]:
    """The numpy type of an array shape's elements; those that numpy lacks come from ml_dtypes."""
    name = shape.numpy_name
    if not name:
        raise TypeError(f"{shape} is no array")
    if name.startswith("ml_dtypes."):
        narrow: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name.removeprefix("ml_dtypes.")))
        return narrow
    return np.dtype(name)


def _leaves(shape: Shape) -> Iterator[Shape]:
    if shape.is_tuple:
        for element in shape.tuple_shapes:
            yield from _leaves(element)
    else:
        yield shape


def _as_array(value: Any) -> np.ndarray[Any, Any]:
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError):
            pass  # a type that DLPack or numpy does not know, or memory of another device
    return np.asarray(value)


def _flatten(value: Any, shape: Shape, where: str, found: list[tuple[np.ndarray[Any, Any], Shape, str]]) -> None:
    if shape.is_tuple:
        shapes = shape.tuple_shapes
        if not isinstance(value, (tuple, list)) or len(value) != len(shapes):
            raise TypeError(f"{where} is to be a tuple of {len(shapes)}")
        for i, (element, element_shape) in enumerate(zip(value, shapes)):
            _flatten(element, element_shape, f"{where}[{i}]", found)
    else:
        found.append((_as_array(value), shape, where))


def _bytes_of(array: np.ndarray[Any, Any], shape: Shape, where: str) -> np.ndarray[Any, Any]:
    wanted = dtype_of(shape)
    if isinstance(array, np.ndarray) and array.dtype != wanted:
        if array.ndim > 0 or not np.can_cast(array.dtype, wanted, casting="same_kind"):
            raise TypeError(f"{where} is {array.dtype}{list(array.shape)}, not {shape}")
        array = array.astype(wanted)  # a Python number
    if list(array.shape) != shape.dimensions:
        raise TypeError(f"{where} is {array.dtype}{list(array.shape)}, not {shape}")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _unflatten(shape: Shape, leaves: Iterator[np.ndarray[Any, Any]]) -> Any:
    if shape.is_tuple:
        return tuple(_unflatten(element, leaves) for element in shape.tuple_shapes)
    return next(leaves)


class Executable:
    """A module that is prepared to run: call it with an array for each parameter.

    Inputs are read where they are, if they are contiguous and of the right type. A tuple result is a tuple of arrays.
    """

    def __init__(self, prepared: _Executable) -> None:
        self._prepared = prepared
        self.parameter_shapes: list[Shape] = prepared.parameter_shapes
        self.result_shape: Shape = prepared.result_shape

    @property
    def isa(self) -> str:
        """The instruction set that it runs with."""
        return self._prepared.isa

    def plan(self) -> str:
        """The prepared steps, a line each."""
        return self._prepared.plan()

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """Runs it. `out`: an array, or a tuple of them, that the result is written to."""
        if len(arguments) != len(self.parameter_shapes):
            raise TypeError(f"the module has {len(self.parameter_shapes)} parameters, not {len(arguments)}")
        found: list[tuple[np.ndarray[Any, Any], Shape, str]] = []
        for i, (value, shape) in enumerate(zip(arguments, self.parameter_shapes)):
            _flatten(value, shape, f"argument {i}", found)
        inputs = [_bytes_of(*each) for each in found]
        if out is None:
            results = [np.empty(shape.dimensions, dtype_of(shape)) for shape in _leaves(self.result_shape)]
        else:
            given: list[tuple[np.ndarray[Any, Any], Shape, str]] = []
            _flatten(out, self.result_shape, "out", given)
            for array, shape, where in given:
                if array.dtype != dtype_of(shape) or list(array.shape) != shape.dimensions or not array.flags.c_contiguous:
                    raise TypeError(f"{where} is to be a contiguous array of {shape}")
            results = [array for array, _, _ in given]
        self._prepared._run(inputs, [array.reshape(-1).view(np.uint8) for array in results])
        return _unflatten(self.result_shape, iter(results))
