"""What HELM loads through the entry-point group `helm`: it registers, and computes nothing."""

from helm_structext.image2struct import run_specs  # noqa: F401  (its decorators register the run entries)
from helm_structext.models.registry import register

register()
