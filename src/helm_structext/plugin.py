"""What HELM loads through the entry-point group `helm`: it registers, and computes nothing."""

from importlib import import_module
from pathlib import Path

from helm_structext.helm_run import watch
from helm_structext.models.registry import register

# The decorators in a benchmark's module `run_specs` register its run entries. The table of
# benchmarks names more than HELM needs here, and takes longer to load.
for file in sorted(Path(__file__).parent.glob("*/run_specs.py")):
    import_module(f"{__package__}.{file.parent.name}.run_specs")

register()
watch()
