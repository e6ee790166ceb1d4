"""The default token issuer, a Cognito user pool: scopes for machines, groups for people."""

from collections.abc import Sequence

from aws_cdk import Aws, CfnOutput, Duration, Fn, RemovalPolicy, Stack
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.names import pascal
from infra.settings import Settings

SCOPES = {
    "calls": "Request calls and follow one's own",
    "head_start": "Give a call a head start",
    "supervise": "Manage agents and lines",
    "operate": "Look after dead letters",
}
GROUPS = {
    "agents": "Serve calls; the user name is the agent id",
    "supervisors": "Manage agents and lines",
    "operators": "Look after dead letters",
}


class UserPool(Construct):
    """One client per caller app, one for supervising machines, one for people in a browser."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings, web_origins: Sequence[str]) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self._pool = self._user_pool()
        for name, description in GROUPS.items():
            self._pool.add_group(pascal(name), group_name=name, description=description)
        self._scopes = self._scopes_of_machines()
        clients = {
            **{name: self._machine(name, *self._scopes_of_caller_app(name)) for name in settings.caller_apps},
            "supervising": self._machine("supervising", "supervise", "operate"),
            "web": self._browser(web_origins),
        }
        # What `user_pool_provider_url` is on AWS; the embedded AWS has no such attribute.
        self.url = f"https://cognito-idp.{Aws.REGION}.{Aws.URL_SUFFIX}/{self._pool.user_pool_id}"
        self.client_ids = [client.user_pool_client_id for client in clients.values()]
        for name, client in clients.items():
            CfnOutput(Stack.of(self), f"{pascal(name)}ClientId", value=client.user_pool_client_id)
        CfnOutput(Stack.of(self), "UserPoolId", value=self._pool.user_pool_id)
        CfnOutput(Stack.of(self), "TokenUrl", value=f"{self._domain().base_url()}/oauth2/token")

    def _scopes_of_caller_app(self, name: str) -> Sequence[str]:
        return ("calls", "head_start") if name in self._settings.priority_apps else ("calls",)

    def _user_pool(self) -> cognito.UserPool:
        local = self._settings.local
        return cognito.UserPool(
            self,
            "Pool",
            self_sign_up_enabled=False,
            # User names are agent ids, and those are compared letter by letter.
            sign_in_aliases=cognito.SignInAliases(username=True),
            sign_in_case_sensitive=True,
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            mfa=cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            password_policy=cognito.PasswordPolicy(
                min_length=12, require_symbols=False, temp_password_validity=Duration.days(3)
            ),
            deletion_protection=not local,
            removal_policy=RemovalPolicy.DESTROY if local else RemovalPolicy.RETAIN,
        )

    def _scopes_of_machines(self) -> dict[str, cognito.OAuthScope]:
        scopes = {
            name: cognito.ResourceServerScope(scope_name=name, scope_description=description)
            for name, description in SCOPES.items()
        }
        server = self._pool.add_resource_server(
            "Scopes", identifier=self._settings.scope_prefix.removesuffix("/"), scopes=list(scopes.values())
        )
        return {name: cognito.OAuthScope.resource_server(server, scope) for name, scope in scopes.items()}

    def _machine(self, name: str, *scopes: str) -> cognito.UserPoolClient:
        return self._pool.add_client(
            pascal(name),
            generate_secret=True,
            # Naming a flow shuts off those that Cognito opens where none is named: nobody signs in here.
            auth_flows=cognito.AuthFlow(user=False),
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(client_credentials=True),
                scopes=[self._scopes[scope] for scope in scopes],
            ),
            access_token_validity=self._token_validity,
        )

    def _browser(self, origins: Sequence[str]) -> cognito.UserPoolClient:
        pages = [f"{origin}/" for origin in origins]
        return self._pool.add_client(
            "Web",
            # Tests and examples sign people in without a browser, on the embedded AWS only.
            auth_flows=cognito.AuthFlow(user_srp=True, user_password=self._settings.local),
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                scopes=[cognito.OAuthScope.OPENID, cognito.OAuthScope.PROFILE],
                callback_urls=pages,
                logout_urls=pages,
            ),
            prevent_user_existence_errors=True,
            access_token_validity=self._token_validity,
        )

    @property
    def _token_validity(self) -> Duration:
        return Duration.days(1) if self._settings.local else Duration.hours(1)

    def _domain(self) -> cognito.UserPoolDomain:
        # Prefixes are unique in a region, over all accounts: the end of the stack's id tells one from another.
        suffix = Fn.select(4, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))))
        return self._pool.add_domain(
            "Domain", cognito_domain=cognito.CognitoDomainOptions(domain_prefix=f"switchboard-{suffix}")
        )
