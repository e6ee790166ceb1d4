"""Tokens of the embedded AWS's user pool, for machines and for people."""

import secrets
from dataclasses import dataclass
from functools import cached_property

import boto3
import httpx

from local.servers import ClientArguments


@dataclass(frozen=True)
class MachineClient:
    """A client with a secret of its own; `scopes` as in `calls`, without the prefix."""

    token_url: str
    client_id: str
    client_secret: str
    scopes: tuple[str, ...]

    @cached_property
    def token(self) -> str:
        """Lives for a day."""
        return self.token_for(*self.scopes)

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def token_for(self, *scopes: str) -> str:
        answer = httpx.post(
            self.token_url,
            auth=(self.client_id, self.client_secret),
            data={
                "grant_type": "client_credentials",
                "scope": " ".join(f"switchboard/{scope}" for scope in scopes),
            },
            trust_env=False,
        )
        return answer.raise_for_status().json()["access_token"]


@dataclass(frozen=True, slots=True)
class People:
    """Signs people in without a browser, which only a local stage allows."""

    aws: ClientArguments
    user_pool_id: str
    client_id: str

    def token(self, name: str, *groups: str) -> str:
        """The access token of a user who is made on the way; `groups` as in `agents`, `supervisors`."""
        users = boto3.client("cognito-idp", **self.aws)
        password = f"Aa1-{secrets.token_urlsafe(16)}"
        known = users.list_users(UserPoolId=self.user_pool_id, Filter=f'username = "{name}"')["Users"]
        if not known:
            users.admin_create_user(UserPoolId=self.user_pool_id, Username=name, MessageAction="SUPPRESS")
        users.admin_set_user_password(
            UserPoolId=self.user_pool_id, Username=name, Password=password, Permanent=True
        )
        for group in groups:
            users.admin_add_user_to_group(UserPoolId=self.user_pool_id, Username=name, GroupName=group)
        signed_in = users.initiate_auth(
            ClientId=self.client_id,
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": name, "PASSWORD": password},
        )
        return signed_in["AuthenticationResult"]["AccessToken"]

    def bearer(self, name: str, *groups: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(name, *groups)}"}
