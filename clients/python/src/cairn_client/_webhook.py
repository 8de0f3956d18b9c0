"""Checks that a webhook is the service's (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Mapping, Optional, Sequence, Union

from ._errors import CairnError


class WebhookError(CairnError):
    """The request is not the service's, or is too old."""


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6 if secret.startswith("whsec_") else 0 :], validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise TypeError("secret must be a text such as whsec_…, as the service showed it")
    return key


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> Any:
    """
    The JSON of a webhook's body, once its signature is checked. ``body`` is what was received, byte for byte;
    ``secret`` one secret, or several while one is changed; ``tolerance`` most seconds between the sender's
    clock and this one. Remember ``webhook-id`` to tell a repeated delivery.

    Raises ``WebhookError`` where it is not the service's, ``TypeError`` for a secret that is none.
    """
    keys = [_key_of(each) for each in ([secret] if isinstance(secret, str) else secret)]
    data = body.encode() if isinstance(body, str) else bytes(body)
    found = {str(name).lower(): value for name, value in headers.items()}
    message, sent, signatures = (found.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not message or not sent or not signatures:
        raise WebhookError("it has no webhook-id, webhook-timestamp and webhook-signature")
    if not (sent.isascii() and sent.isdigit() and len(sent) <= 15):
        raise WebhookError("its webhook-timestamp is no number of seconds")
    if abs((time.time() if now is None else now) - int(sent)) > tolerance:
        raise WebhookError("its webhook-timestamp is too far from the time")
    signed = f"{message}.{sent}.".encode() + data
    expected = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    is_ours = False
    for signature in signatures.split(" ")[:20]:
        version, _, value = signature.partition(",")
        for each in expected:
            same = hmac.compare_digest(value.encode("utf-8", "replace"), each)
            is_ours = is_ours or (version == "v1" and same)
    if not is_ours:
        raise WebhookError("its signature is not the service's")
    try:
        return json.loads(data)
    except ValueError:
        raise WebhookError("its body is no JSON") from None
