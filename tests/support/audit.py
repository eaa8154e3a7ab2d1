"""Cases and measured answers, for tests of audits."""

from helm_structext.audit.cases import AuditCase
from helm_structext.audit.measure import MeasuredAnswer
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.settings import choose_settings


def case_of(kind: str, format: str, number: int = 0) -> AuditCase:
    settings = choose_settings(count=1, seed=7, kinds=[kind], formats=[format], languages=["en"])
    scene = draw_number(settings, kind, number)
    code = write_number(settings, kind, number, scene)[format]
    return AuditCase(7, kind, number, format, scene, code, ())


def told(
    role,
    name,
    severity=0,
    *,
    case="a",
    error="",
    guards=(),
    guards_by_layout=None,
    failures=None,
    **values,
):
    return MeasuredAnswer(
        *(case, "chart", "svg", role, name, severity, error, tuple(guards)),
        tuple(guards if guards_by_layout is None else guards_by_layout),
        values,
        failures or {},
        dict.fromkeys(values, 2.0),
    )
