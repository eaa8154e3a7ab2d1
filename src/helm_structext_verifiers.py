"""What verifiers finds by the name `helm-structext-verifiers`: `helm_structext.integrations.verifiers`."""

from helm_structext.integrations.verifiers import (
    StructextEnv,
    StructextHarness,
    StructextTaskset,
)

__all__ = ["StructextEnv", "StructextHarness", "StructextTaskset"]
