"""Arrays for modules: numpy in and out without a copy, anything with __dlpack__ or __array__ in, ml_dtypes for narrow types."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Sequence

import ml_dtypes
import numpy as np
import numpy.typing as npt

from hloir._hloir import Shape, _DeviceExecutable, _dlpack_of, _dlpack_view, _element_types, _Executable

# DLPack's numbers for what numpy's own DLPack does not know: name, type code.
_NARROW_CODES = {
    "bfloat16": 4, "float8_e3m4": 7, "float8_e4m3": 8, "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11,
    "float8_e5m2": 12, "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14,
}
_NARROW_NAMES = {code: name for name, code in _NARROW_CODES.items()}
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}


def dtype_of(shape: Shape) -> np.dtype[Any]:
    """The numpy type of an array shape's elements; those that numpy lacks come from ml_dtypes."""
    if not isinstance(shape, Shape):
        raise TypeError(f"dtype_of takes a Shape, as hloir.Shape('f32[2]') is one, not {shape!r}")
    name = shape.numpy_name
    if not name:
        raise TypeError(f"{shape} is not an array")
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


def _from_dlpack(value: Any) -> npt.NDArray[Any] | None:
    view = _dlpack_view(value)
    if view is None:
        return None
    data, code, bits, sizes = view
    if code in _NARROW_NAMES:
        dtype = np.dtype(getattr(ml_dtypes, _NARROW_NAMES[code]))
    elif code in _KINDS and bits >= 8:
        dtype = np.dtype(f"{_KINDS[code]}{bits // 8}")
    else:
        return None
    array: npt.NDArray[Any] = data.view(dtype).reshape(sizes)
    return array


def _as_array(value: Any) -> npt.NDArray[Any]:
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        try:
            array = _from_dlpack(value)
            return array if array is not None else np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError):
            pass  # memory of another device
    return np.asarray(value)


def _sizes(arguments: Sequence[Any]) -> list[list[int]]:
    """The sizes of each array among arguments, which may be tuples of them."""
    sizes: list[list[int]] = []
    for value in arguments:
        sizes += _sizes(value) if isinstance(value, tuple) else [list(_as_array(value).shape)]
    return sizes


def _of_numbers(value: Any, shape: Shape, where: str) -> npt.NDArray[Any]:
    """An array of Python's numbers, which have no type of their own; as they are where they do not fit."""
    wanted = dtype_of(shape)
    try:
        array: npt.NDArray[Any] = np.asarray(value)
        integers = array.dtype.kind in "iu" and wanted.kind in "iu"  # one that does not fit is an OverflowError
        if integers or (array.dtype.kind in "biufc" and np.can_cast(array.dtype, wanted, casting="same_kind")):
            array = np.asarray(value, wanted)
    except (OverflowError, ValueError) as error:
        raise TypeError(f"{where} is to be {shape}: {error}") from None
    return array


def _flatten(value: Any, shape: Shape, where: str, found: list[tuple[npt.NDArray[Any], Shape, str]]) -> None:
    if shape.is_tuple:
        shapes = shape.tuple_shapes
        if not isinstance(value, (tuple, list)) or len(value) != len(shapes):
            raise TypeError(f"{where} is to be a tuple of {len(shapes)}")
        for i, (element, element_shape) in enumerate(zip(value, shapes)):
            _flatten(element, element_shape, f"{where}[{i}]", found)
    elif isinstance(value, (list, tuple)):
        found.append((_of_numbers(value, shape, where), shape, where))
    else:
        found.append((_as_array(value), shape, where))


def _bytes_of(array: npt.NDArray[Any], shape: Shape, where: str) -> npt.NDArray[np.uint8]:
    wanted = dtype_of(shape)
    if array.dtype != wanted:
        if array.ndim > 0 or not np.can_cast(array.dtype, wanted, casting="same_kind"):
            hint = f"; .astype('{wanted}') converts it" if list(array.shape) == shape.dimensions else ""
            raise TypeError(f"{where} is {array.dtype}{list(array.shape)}, not {shape}{hint}")
        array = array.astype(wanted)  # a Python number
    if list(array.shape) != shape.dimensions:
        raise TypeError(f"{where} is {array.dtype}{list(array.shape)}, not {shape}")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _joined(shape: Shape, blocks: list[bytes]) -> Any:
    """The array, or the tuple of them, whose leaves have these bytes."""
    arrays = (
        np.frombuffer(block, np.uint8).view(dtype_of(leaf)).reshape(leaf.dimensions)
        for block, leaf in zip(blocks, _leaves(shape))
    )
    return _unflatten(shape, arrays)


def _inputs(arguments: Sequence[Any], shapes: list[Shape], where: str) -> list[npt.NDArray[np.uint8]]:
    if len(arguments) != len(shapes):
        raise TypeError(f"the module has {len(shapes)} parameters, not {len(arguments)}")
    found: list[tuple[npt.NDArray[Any], Shape, str]] = []
    for i, (value, shape) in enumerate(zip(arguments, shapes)):
        _flatten(value, shape, f"{where} {i}", found)
    return [_bytes_of(*each) for each in found]


def _unflatten(shape: Shape, leaves: Iterator[npt.NDArray[Any]]) -> Any:
    if shape.is_tuple:
        return tuple(_unflatten(element, leaves) for element in shape.tuple_shapes)
    return next(leaves)


def _answers(callbacks: Mapping[Any, Callable[..., Any]] | None) -> dict[Any, Any]:
    """The functions of prepare()'s callbacks, on bytes."""

    def answer(function: Callable[..., Any]) -> Any:
        def on_bytes(blocks: list[bytes], shapes: list[Shape], result: Shape) -> list[bytes]:
            arrays = [
                np.frombuffer(block, np.uint8).view(dtype_of(shape)).reshape(shape.dimensions)
                for block, shape in zip(blocks, shapes)
            ]
            given = function(*arrays)
            leaves = list(_leaves(result))
            if given is None:
                given = ()
            elif not isinstance(given, (tuple, list)):
                given = (given,)
            if len(given) != len(leaves):
                raise TypeError(f"a callback gave {len(given)} arrays for {result}")
            made = []
            for array, shape in zip(given, leaves):
                array = np.asarray(array, dtype_of(shape))
                if list(array.shape) != shape.dimensions:
                    raise TypeError(f"a callback gave an array of {list(array.shape)} for {shape}")
                made.append(np.ascontiguousarray(array).tobytes())
            return made

        return on_bytes

    return {key: answer(function) for key, function in (callbacks or {}).items()}


def _host(function: Callable[[int, int, Any], Any] | None) -> Any:
    """prepare()'s host_transfer, on bytes."""
    if function is None:
        return None

    def on_bytes(channel: int, device: int, block: bytes | None, shape: Shape) -> bytes | None:
        dtype = dtype_of(shape)
        if block is not None:
            function(channel, device, np.frombuffer(block, np.uint8).view(dtype).reshape(shape.dimensions))
            return None
        array = np.asarray(function(channel, device, None), dtype)
        if list(array.shape) != shape.dimensions:
            raise TypeError(f"host_transfer gave an array of {list(array.shape)} for {shape}")
        return np.ascontiguousarray(array).tobytes()

    return on_bytes


class Executable:
    """A module that is prepared to run: call it with an array for each parameter, a tuple of them for one of a tuple.

    Inputs are read where they are, if they are contiguous; their types and sizes are to be the parameters' (a Python number
    is converted). A tuple result is a tuple of arrays. TypeError: an argument does not fit. hloir.Error: the run failed.
    """

    def __init__(self, prepared: _Executable) -> None:
        self._prepared = prepared
        self.parameter_shapes: list[Shape] = prepared.parameter_shapes
        self.result_shape: Shape = prepared.result_shape

    @property
    def isa(self) -> str:
        """The instruction set that it runs with."""
        return self._prepared.isa

    @property
    def was_cached(self) -> bool:
        """Whether its plan was read from the folder `cache`."""
        return self._prepared.was_cached

    def plan(self) -> str:
        """The prepared steps, a line each."""
        return self._prepared.plan()

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """Runs it. `out`: an array, or a tuple of them, that the result is written to."""
        inputs = _inputs(arguments, self.parameter_shapes, "argument")
        if out is None:
            results = [np.empty(shape.dimensions, dtype_of(shape)) for shape in _leaves(self.result_shape)]
        else:
            given: list[tuple[npt.NDArray[Any], Shape, str]] = []
            _flatten(out, self.result_shape, "out", given)
            for array, shape, where in given:
                if array.dtype != dtype_of(shape) or list(array.shape) != shape.dimensions or not array.flags.c_contiguous:
                    raise TypeError(f"{where} is to be a contiguous array of {shape}")
            results = [array for array, _, _ in given]
        self._prepared._run(inputs, [array.reshape(-1).view(np.uint8) for array in results])
        return _unflatten(self.result_shape, iter(results))


class DeviceExecutable:
    """A module that is prepared to run on several devices, which are threads of this process.

    Call it with a list that has each device's arguments, and get a list of each device's result. Device d is partition
    d % partitions of replica d // partitions.
    """

    def __init__(self, prepared: _DeviceExecutable) -> None:
        self._prepared = prepared
        self.parameter_shapes: list[Shape] = prepared.parameter_shapes
        self.result_shape: Shape = prepared.result_shape
        self.replicas: int = prepared.replicas
        self.partitions: int = prepared.partitions

    @property
    def device_count(self) -> int:
        return self.replicas * self.partitions

    def __call__(self, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        inputs = [_inputs(each, self.parameter_shapes, f"device {d}, argument") for d, each in enumerate(arguments)]
        shapes = list(_leaves(self.result_shape))
        results = []
        for leaves in self._prepared._run(inputs):
            arrays = [leaf.view(dtype_of(shape)).reshape(shape.dimensions) for leaf, shape in zip(leaves, shapes)]
            results.append(_unflatten(self.result_shape, iter(arrays)))
        return results


def to_dlpack(array: npt.NDArray[Any]) -> Any:
    """What from_dlpack of torch, jax and others takes, without a copy, the narrow types of ml_dtypes included.

    Arrays of numpy's own types are what they are: numpy exports them itself.
    """
    if array.dtype.name not in _NARROW_CODES:
        return array
    if not array.flags.c_contiguous:
        raise BufferError("the array is not contiguous")
    return _dlpack_of(array.reshape(-1).view(np.uint8), _NARROW_CODES[array.dtype.name], 8 * array.itemsize, list(array.shape))


_DEFAULT_TYPES: dict[type, str] = {bool: "pred", int: "s32", float: "f32", complex: "c64"}


def constant_parts(value: Any, type_name: str | None) -> tuple[Shape, npt.NDArray[np.uint8]]:
    """Shape and bytes of a constant."""
    if type_name is None and type(value) in _DEFAULT_TYPES:
        type_name = _DEFAULT_TYPES[type(value)]
    array = _as_array(value)
    if type_name is None:
        type_name = _type_name(array.dtype)
    shape = Shape(f"{type_name}[{','.join(map(str, array.shape))}]")
    wanted = dtype_of(shape)
    if array.dtype != wanted:
        array = array.astype(wanted)
    return shape, np.ascontiguousarray(array).reshape(-1).view(np.uint8)


_TYPE_NAMES: dict[np.dtype[Any], str] = {}


def _type_name(dtype: np.dtype[Any]) -> str:
    if not _TYPE_NAMES:
        for name in _element_types():
            try:
                _TYPE_NAMES[dtype_of(Shape(f"{name}[]"))] = name
            except AttributeError:
                pass  # an older ml_dtypes lacks it
    if dtype not in _TYPE_NAMES:
        raise TypeError(f"HLO has no type for {dtype}")
    return _TYPE_NAMES[dtype]
