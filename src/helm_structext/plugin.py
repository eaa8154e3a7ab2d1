"""What HELM loads through the entry-point group `helm`: it registers, and computes nothing."""

from helm_structext import helm_run_specs
from helm_structext.helm_run import watch
from helm_structext.models.registry import register

helm_run_specs.register()
register()
watch()
