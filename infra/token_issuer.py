"""Whose tokens the API trusts: an OIDC issuer that exists already, or else a Cognito user pool made here."""

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct

from infra.settings import Settings
from infra.user_pool import UserPool


@dataclass(frozen=True, slots=True)
class TokenIssuer:
    """`url` is the `iss` of its tokens, `audience` what their `aud` or `client_id` may be."""

    url: str
    audience: Sequence[str]


def token_issuer(scope: Construct, *, settings: Settings, web_origins: Sequence[str]) -> TokenIssuer:
    if settings.oidc_issuer:
        return TokenIssuer(settings.oidc_issuer, settings.oidc_audience)
    users = UserPool(scope, "Users", settings=settings, web_origins=web_origins)
    return TokenIssuer(users.url, users.client_ids)
