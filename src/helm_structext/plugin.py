"""What HELM loads through the entry-point group `helm`: it registers, and computes nothing."""

# The decorators in these modules register the run entries.
import helm_structext.image2struct.run_specs
import helm_structext.mmr.run_specs
import helm_structext.structeval.run_specs  # noqa: F401
from helm_structext.models.registry import register

register()
