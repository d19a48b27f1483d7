"""Errors of `mlagents_envs.exception`, and the original's own Python errors.

All are an `arena.ConfigError` too, so that a program can catch either.
"""

from arena.errors import ConfigError


class InvalidValueError(ConfigError, ValueError):
    """An argument has a value that is not allowed. The original raises ValueError."""


class InvalidTypeError(ConfigError, TypeError):
    """An argument is of another type than expected; the original raises TypeError."""


class NoAgentError(ConfigError, IndexError):
    """There is no agent of that number in the steps. The original raises IndexError."""


class UnityException(ConfigError):
    """Base of the errors of `mlagents_envs`."""


class UnityEnvironmentException(UnityException):
    """The environment cannot be started, or is closed."""


class UnityActionException(UnityException):
    """An action, or the name of a behaviour, is invalid."""


class UnityCommunicationException(UnityException):
    """Never raised, but caught by scripts. There are no other process, ports or side channels."""


UnityTimeOutException = UnityCommunicatorStoppedException = UnityCommunicationException
UnityObservationException = UnityPolicyException = UnityCommunicationException
UnitySideChannelException = UnityWorkerInUseException = UnityCommunicationException
"""Other errors that are never raised."""


class UnityGymException(UnityException):
    """An environment cannot be wrapped for Gymnasium."""


UnityGymnasiumException = UnityGymException
"""Alias in `animalai.wrappers`."""
