"""Schemathesis: requests generated from the OpenAPI document, answers checked against it."""

from pathlib import Path

import schemathesis
from hypothesis import HealthCheck, Phase, settings

from dashboard.web.bot.openapi import document

CONFIG = schemathesis.Config.from_path(str(Path(__file__).with_name("schemathesis.toml")))
# Every worker of the gate would spend three seconds on requests for all boundaries of all types.
CONFIG.projects.default.phases.coverage.enabled = settings.get_current_profile_name() == "all"
# The key of each request is the test's own; `make judges` leaves keys out.
CONFIG.projects.default.checks.ignored_auth.enabled = False
CONFIG.projects.default.checks.missing_required_header.enabled = False


class CurrentApp:
    """The WSGI application of the running test; requests are generated before there is one."""

    def __call__(self, environ, start_response):
        return self.app(environ, start_response)


current_app = CurrentApp()
schema = schemathesis.openapi.from_dict(document(), config=CONFIG)
schema.app = current_app


@schema.parametrize()
@settings(
    deadline=None,
    # Without shrinking: a failure names its request, and the run stays short.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)
def test_generated_requests_are_answered_as_the_document_says(case, bot):
    current_app.app = bot.app
    case.call_and_validate(headers=bot.headers())
