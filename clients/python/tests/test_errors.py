from __future__ import annotations

from typing import Any

import httpx2
import pytest

from anneal import (
    Anneal,
    AnnealError,
    APIConnectionError,
    APIStatusError,
    AuthenticationError,
    FieldError,
    InternalServerError,
    NotFoundError,
    PaymentRequiredError,
    UnprocessableEntityError,
)


def test_a_wrong_field_is_named_with_its_mend(client: Anneal) -> None:
    with pytest.raises(UnprocessableEntityError, match=r"422 from POST /felix/training-jobs: `nr_epochs` must") as raised:
        client.train("tickets", nr_epochs=100_000, learning_rate=-1)
    assert [error.field for error in raised.value.errors] == ["nr_epochs", "learning_rate"]
    assert raised.value.request_id is not None


def test_an_unknown_name_is_not_found(client: Anneal) -> None:
    with pytest.raises(NotFoundError, match='dataset "no-such" does not exist'):
        client.datasets.get("no-such")


def test_names_may_hold_any_characters(client: Anneal) -> None:
    with pytest.raises(NotFoundError):
        client.datasets.get("../jobs?#%2F")


def test_a_wrong_key_is_refused() -> None:
    with (
        pytest.raises(AuthenticationError, match="401 from GET /felix/datasets: ") as raised,
        Anneal(api_key="pio_sk_wrong") as wrong,
    ):
        wrong.datasets.list()
    assert "pio_sk_wrong" not in str(raised.value)


def test_a_missing_key_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANNEAL_API_KEY")
    with pytest.raises(AnnealError, match="ANNEAL_API_KEY must be set; make a key with: npx anneal key create NAME"):
        Anneal()


def test_an_address_without_a_system_is_named() -> None:
    nowhere = Anneal("http://127.0.0.1:1", max_retries=0)
    with pytest.raises(APIConnectionError, match=r"GET /felix/datasets had no answer from http://127.0.0.1:1 .*ANNEAL_BASE_URL"):
        nowhere.datasets.list()


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://localhost"])
def test_an_address_that_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(AnnealError, match="`base_url` must begin with http:// or https://"):
        Anneal(url)


@pytest.mark.parametrize(
    ("status", "body", "kind", "message", "code"),
    [
        (
            402,
            {"code": "credits", "message": "none left", "resolution_url": "http://pay"},
            PaymentRequiredError,
            r"none left \(http://pay\)",
            "credits",
        ),
        (
            401,
            {"detail": {"message": "no key", "code": "invalid_credentials"}},
            AuthenticationError,
            "no key",
            "invalid_credentials",
        ),
        (500, {"error": "internal_error", "message": "it failed"}, InternalServerError, "it failed", "internal_error"),
        (418, {"detail": "a teapot"}, APIStatusError, "a teapot", None),
        (502, "<html>Bad gateway</html>", InternalServerError, "Bad gateway", None),
        (502, "", InternalServerError, "no reason given", None),
    ],
)
def test_each_shape_of_an_error_says_its_reason(
    status: int, body: Any, kind: type[APIStatusError], message: str, code: str | None
) -> None:
    content: Any = {"text": body} if isinstance(body, str) else {"json": body}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(status, **content))
    client = Anneal("http://mock", "pio_sk_mock", max_retries=0, http_client=httpx2.Client(transport=transport))
    with pytest.raises(kind, match=message) as raised:
        client.datasets.list()
    assert (type(raised.value), raised.value.code) == (kind, code)


def test_a_field_error_without_a_field_is_its_message() -> None:
    assert str(FieldError("", "must be an object", "type")) == "must be an object"
