"""Whose tokens are trusted: a user pool made here, or an issuer that exists."""

from collections.abc import Callable
from typing import Any

from tests.infra.stack_template import Resource, StackTemplate

ISSUER = "https://login.example.com/"


def authorizer(template: StackTemplate) -> Resource:
    (found,) = template.of_type("AWS::ApiGatewayV2::Authorizer").values()
    return found["JwtConfiguration"]


def clients(template: StackTemplate) -> dict[str, Resource]:
    """By the name of their output."""
    by_id = template.of_type("AWS::Cognito::UserPoolClient")
    outputs = {name: output["Value"].get("Ref") for name, output in template.body["Outputs"].items()}
    return {name: by_id[ref] for name, ref in outputs.items() if ref in by_id}


def scopes(client: Resource) -> set[str]:
    return {
        part[1][1] if isinstance(part, list) else part for part in map(_scope, client["AllowedOAuthScopes"])
    }


def _scope(scope: Any) -> str:
    return scope if isinstance(scope, str) else scope["Fn::Join"][1][1].removeprefix("/")


def test_every_client_of_the_user_pool_is_trusted_and_no_other(template: StackTemplate):
    config = authorizer(template)
    assert {ref["Ref"] for ref in config["Audience"]} == set(template.of_type("AWS::Cognito::UserPoolClient"))
    assert config["Issuer"]["Fn::Join"][1][0] == "https://cognito-idp."


def test_machines_have_a_secret_and_only_the_scopes_of_their_job(template: StackTemplate):
    found = clients(template)
    assert scopes(found["CallerClientId"]) == {"calls"}
    assert scopes(found["SupervisingClientId"]) == {"supervise", "operate"}
    for name in ("CallerClientId", "SupervisingClientId"):
        assert found[name]["GenerateSecret"] is True
        assert found[name]["AllowedOAuthFlows"] == ["client_credentials"]
        assert found[name]["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"]


def test_each_caller_app_has_a_client_of_its_own(template_of: Any):
    assert {"ShopClientId", "BankClientId"} <= set(clients(template_of(caller_apps=["shop", "bank"])))


def test_browsers_sign_in_by_code_and_have_no_secret(template: StackTemplate):
    web = clients(template)["WebClientId"]
    assert web["AllowedOAuthFlows"] == ["code"]
    assert web.get("GenerateSecret", False) is False
    assert "ALLOW_USER_PASSWORD_AUTH" not in web["ExplicitAuthFlows"]


def test_passwords_are_sent_only_in_a_local_stage(local: StackTemplate):
    assert "ALLOW_USER_PASSWORD_AUTH" in clients(local)["WebClientId"]["ExplicitAuthFlows"]


def test_people_belong_to_groups_and_are_signed_up_by_others(template: StackTemplate):
    groups = template.of_type("AWS::Cognito::UserPoolGroup").values()
    assert {group["GroupName"] for group in groups} == {"agents", "supervisors", "operators"}
    (pool,) = template.of_type("AWS::Cognito::UserPool").values()
    assert pool["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}
    assert pool["Policies"]["PasswordPolicy"]["MinimumLength"] == 12


def test_with_an_issuer_of_ones_own_no_user_pool_is_made(template_of: Any):
    template: StackTemplate = template_of(
        oidc_issuer=ISSUER,
        oidc_audience=["floor"],
        scope_prefix="sb:",
        groups_claim="roles",
        agent_id_claim="sub",
    )
    assert authorizer(template) == {"Issuer": ISSUER, "Audience": ["floor"]}
    assert not [r for r in template.resources.values() if r["Type"].startswith("AWS::Cognito::")]
    told = template.environment("calls_api")
    assert (told["SCOPE_PREFIX"], told["GROUPS_CLAIM"], told["AGENT_ID_CLAIM"]) == ("sb:", "roles", "sub")


def test_only_the_apps_that_are_named_may_give_head_starts(template_of: Callable[..., StackTemplate]):
    found = clients(template_of(caller_apps="vip,plain", priority_apps="vip"))
    assert scopes(found["VipClientId"]) == {"calls", "head_start"}
    assert scopes(found["PlainClientId"]) == {"calls"}
