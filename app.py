"""The CDK app. `cdk.json` runs it; `infra/stack.py` is what it deploys."""

from aws_cdk import App

from infra.settings import Settings
from infra.stack import SwitchboardStack

app = App()
settings = Settings.from_context(app.node.try_get_context)
SwitchboardStack(app, f"Switchboard-{settings.stage}", settings=settings)
app.synth()
