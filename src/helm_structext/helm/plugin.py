"""What HELM loads through the entry-point group `helm`: it registers, and computes nothing."""

from helm_structext.helm import specs
from helm_structext.helm.watch import watch
from helm_structext.models.registry import register

specs.register()
register()
watch()
