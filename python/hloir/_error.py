"""The one exception of hloir."""


class Error(Exception):
    """An error reported by hloir.

    code: 'invalid argument' (the input is wrong), 'unimplemented', 'resource exhausted', 'deadline exceeded' (the
        limit of steps), 'cancelled', or 'internal' (a bug).
    line, column: where in the text, from 1; 0 where there is no place.
    """

    def __init__(self, message: str, code: str = "internal", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.line = line
        self.column = column
