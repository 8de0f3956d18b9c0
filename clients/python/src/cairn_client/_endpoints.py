# Made by `npm run generate:client` from the OpenAPI document; not to be edited.
"""A method for each operation of the interface."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from . import types
from ._calls import TIMEOUT, AsyncGroup, AsyncPages, Caller, Group, Pages, Runner
from ._http import Stream


class Events(Group):
    """Calls about events."""

    def list(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        total: Optional[Literal["exact", "none"]] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Event]:
        """List events, newest first"""
        return self._list(
            "/api/v1/events",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
                "cursor": cursor,
                "limit": limit,
                "total": total,
            },
            timeout,
        )

    def count(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsCountAnswer:
        """Count events"""
        return self._caller.json(
            "GET",
            "/api/v1/events/count",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
            },
            timeout=timeout,
        )

    def histogram(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        buckets: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsHistogramAnswer:
        """Count events over time"""
        return self._caller.json(
            "GET",
            "/api/v1/events/histogram",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
                "buckets": buckets,
            },
            timeout=timeout,
        )

    def facets(
        self,
        *,
        field: Literal["action", "actor", "resource", "resource_id", "resource_name", "target", "session_id", "country", "category", "tenant_id"],
        prefix: Optional[str] = None,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsFacetsAnswer:
        """List the most frequent values of a field"""
        return self._caller.json(
            "GET",
            "/api/v1/events/facets",
            None,
            {
                "field": field,
                "prefix": prefix,
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
            },
            timeout=timeout,
        )

    def export(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        format: Optional[Literal["csv", "ndjson"]] = None,
        timeout: float = TIMEOUT,
    ) -> Stream:
        """Export events at once"""
        return self._caller.open(
            "/api/v1/events/export",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
                "format": format,
            },
            timeout,
        )

    def live(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        timeout: float = TIMEOUT,
    ) -> Stream:
        """Follow how many events are new"""
        return self._caller.open(
            "/api/v1/events/live",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
            },
            timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.Event:
        """Get one event"""
        return self._caller.json(
            "GET",
            "/api/v1/events/{id}",
            id,
            {},
            timeout=timeout,
        )

    def proof(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.EventProof:
        """Prove one event"""
        return self._caller.json(
            "GET",
            "/api/v1/events/{id}/proof",
            id,
            {},
            timeout=timeout,
        )

    def proofs(
        self,
        body: types.ProofsInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.EventProofs:
        """Prove a page of events"""
        return self._caller.json(
            "POST",
            "/api/v1/events/proofs",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def verify(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsVerifyAnswer:
        """Verify the event hash chain"""
        return self._caller.json(
            "GET",
            "/api/v1/verify",
            None,
            {
                "from": from_,
                "to": to,
                "limit": limit,
            },
            timeout=timeout,
        )

    def verification(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.EventsVerificationAnswer:
        """Get how far the service itself has verified the log"""
        return self._caller.json(
            "GET",
            "/api/v1/verification",
            None,
            {},
            timeout=timeout,
        )


class Checkpoints(Group):
    """Calls about checkpoints."""

    def latest(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> str:
        """Get the signed checkpoint of the log"""
        return self._caller.json(
            "GET",
            "/api/v1/checkpoint",
            None,
            {},
            is_text=True,
            timeout=timeout,
        )

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.SignedCheckpoint]:
        """List the checkpoints that were signed unasked, newest first"""
        return self._list(
            "/api/v1/checkpoints",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def consistency(
        self,
        *,
        from_: str,
        to: str,
        timeout: float = TIMEOUT,
    ) -> types.CheckpointsConsistencyAnswer:
        """Prove that one checkpoint grew out of another"""
        return self._caller.json(
            "GET",
            "/api/v1/checkpoint/consistency",
            None,
            {
                "from": from_,
                "to": to,
            },
            timeout=timeout,
        )


class Anchors(Group):
    """Calls about anchors."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Anchor]:
        """List anchors, newest first"""
        return self._list(
            "/api/v1/anchors",
            None,
            {
                "limit": limit,
            },
            timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AnchorsGetAnswer:
        """Get one anchor"""
        return self._caller.json(
            "GET",
            "/api/v1/anchors/{id}",
            id,
            {},
            timeout=timeout,
        )

    def verify(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AnchorsVerifyAnswer:
        """Verify an anchor"""
        return self._caller.json(
            "GET",
            "/api/v1/anchors/{id}/verify",
            id,
            {},
            timeout=timeout,
        )

    def close_period(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AnchorsClosePeriodAnswer:
        """Close the open period now"""
        return self._caller.json(
            "POST",
            "/api/v1/anchors",
            None,
            {},
            timeout=timeout,
        )


class Exports(Group):
    """Calls about exports."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Export]:
        """List exports, newest first"""
        return self._list(
            "/api/v1/exports",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def create(
        self,
        body: types.ExportInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ExportsCreateAnswer:
        """Create an export"""
        return self._caller.json(
            "POST",
            "/api/v1/exports",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ExportsGetAnswer:
        """Get an export's status"""
        return self._caller.json(
            "GET",
            "/api/v1/exports/{id}",
            id,
            {},
            timeout=timeout,
        )

    def download(
        self,
        id: str,
        *,
        expires: Optional[str] = None,
        signature: Optional[str] = None,
        for_: Optional[str] = None,
        timeout: float = TIMEOUT,
    ) -> Stream:
        """Download a completed export"""
        return self._caller.open(
            "/api/v1/exports/{id}/download",
            id,
            {
                "expires": expires,
                "signature": signature,
                "for": for_,
            },
            timeout,
        )


class ViewerTokens(Group):
    """Calls about viewer tokens."""

    def create(
        self,
        body: types.ViewerTokenInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ViewerToken:
        """Create a viewer token"""
        return self._caller.json(
            "POST",
            "/api/v1/viewer-token",
            None,
            {},
            body=body,
            timeout=timeout,
        )


class Alerts(Group):
    """Calls about alerts."""

    def list(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        rule_type: Optional[Literal["new_country", "high_volume_destructive", "ingestion_spike", "repeated_action", "off_hours"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.ListedAlert]:
        """List alerts, newest first"""
        return self._list(
            "/api/v1/alerts",
            None,
            {
                "from": from_,
                "to": to,
                "rule_type": rule_type,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def acknowledge(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertsAcknowledgeAnswer:
        """Acknowledge an alert"""
        return self._caller.json(
            "POST",
            "/api/v1/alerts/{id}/acknowledge",
            id,
            {},
            timeout=timeout,
        )


class AlertRules(Group):
    """Calls about alert rules."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.AlertRule]:
        """List alert rules, newest first"""
        return self._list(
            "/api/v1/alert-rules",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def create(
        self,
        body: types.AlertRuleInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesCreateAnswer:
        """Create an alert rule"""
        return self._caller.json(
            "POST",
            "/api/v1/alert-rules",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesGetAnswer:
        """Get one alert rule"""
        return self._caller.json(
            "GET",
            "/api/v1/alert-rules/{id}",
            id,
            {},
            timeout=timeout,
        )

    def update(
        self,
        id: str,
        body: types.AlertRulePatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesUpdateAnswer:
        """Change an alert rule"""
        return self._caller.json(
            "PATCH",
            "/api/v1/alert-rules/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesDeleteAnswer:
        """Delete an alert rule"""
        return self._caller.json(
            "DELETE",
            "/api/v1/alert-rules/{id}",
            id,
            {},
            timeout=timeout,
        )

    def backtest(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesBacktestAnswer:
        """Try an alert rule on history"""
        return self._caller.json(
            "POST",
            "/api/v1/alert-rules/{id}/backtest",
            id,
            {},
            timeout=timeout,
        )

    def backtest_new(
        self,
        body: types.AlertRuleInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesBacktestNewAnswer:
        """Try a new alert rule on history"""
        return self._caller.json(
            "POST",
            "/api/v1/alert-rules/backtest",
            None,
            {},
            body=body,
            timeout=timeout,
        )


class Webhooks(Group):
    """Calls about webhooks."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Webhook]:
        """List webhooks, newest first"""
        return self._list(
            "/api/v1/webhooks",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def create(
        self,
        body: types.WebhookInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksCreateAnswer:
        """Create a webhook"""
        return self._caller.json(
            "POST",
            "/api/v1/webhooks",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksGetAnswer:
        """Get one webhook"""
        return self._caller.json(
            "GET",
            "/api/v1/webhooks/{id}",
            id,
            {},
            timeout=timeout,
        )

    def update(
        self,
        id: str,
        body: types.WebhookPatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksUpdateAnswer:
        """Change a webhook"""
        return self._caller.json(
            "PATCH",
            "/api/v1/webhooks/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksDeleteAnswer:
        """Delete a webhook"""
        return self._caller.json(
            "DELETE",
            "/api/v1/webhooks/{id}",
            id,
            {},
            timeout=timeout,
        )

    def test(
        self,
        id: str,
        *,
        wait: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksTestAnswer:
        """Send a test message to a webhook"""
        return self._caller.json(
            "POST",
            "/api/v1/webhooks/{id}/test",
            id,
            {
                "wait": wait,
            },
            timeout=timeout,
        )

    def rotate_secret(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksRotateSecretAnswer:
        """Replace a webhook's secret"""
        return self._caller.json(
            "POST",
            "/api/v1/webhooks/{id}/rotate-secret",
            id,
            {},
            timeout=timeout,
        )

    def deliveries(
        self,
        id: str,
        *,
        status: Optional[Literal["pending", "delivered", "failed"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Delivery]:
        """List a webhook's deliveries, newest first"""
        return self._list(
            "/api/v1/webhooks/{id}/deliveries",
            id,
            {
                "status": status,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )


class Deliveries(Group):
    """Calls about deliveries."""

    def list(
        self,
        *,
        channel: Optional[Literal["webhook", "mail", "stream"]] = None,
        status: Optional[Literal["pending", "delivered", "failed"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Delivery]:
        """List the deliveries of all webhooks and by mail, newest first"""
        return self._list(
            "/api/v1/deliveries",
            None,
            {
                "channel": channel,
                "status": status,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.DeliveriesGetAnswer:
        """Get one delivery and its attempts"""
        return self._caller.json(
            "GET",
            "/api/v1/deliveries/{id}",
            id,
            {},
            timeout=timeout,
        )

    def redeliver(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.DeliveriesRedeliverAnswer:
        """Send a delivery again"""
        return self._caller.json(
            "POST",
            "/api/v1/deliveries/{id}/redeliver",
            id,
            {},
            timeout=timeout,
        )


class LogStreams(Group):
    """Calls about log streams."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.LogStream]:
        """List log streams, newest first"""
        return self._list(
            "/api/v1/log-streams",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def create(
        self,
        body: types.LogStreamInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsCreateAnswer:
        """Create a log stream"""
        return self._caller.json(
            "POST",
            "/api/v1/log-streams",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsGetAnswer:
        """Get one log stream"""
        return self._caller.json(
            "GET",
            "/api/v1/log-streams/{id}",
            id,
            {},
            timeout=timeout,
        )

    def update(
        self,
        id: str,
        body: types.LogStreamPatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsUpdateAnswer:
        """Change a log stream"""
        return self._caller.json(
            "PATCH",
            "/api/v1/log-streams/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsDeleteAnswer:
        """Delete a log stream"""
        return self._caller.json(
            "DELETE",
            "/api/v1/log-streams/{id}",
            id,
            {},
            timeout=timeout,
        )

    def test(
        self,
        id: str,
        *,
        wait: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsTestAnswer:
        """Send a test record to a log stream's destination"""
        return self._caller.json(
            "POST",
            "/api/v1/log-streams/{id}/test",
            id,
            {
                "wait": wait,
            },
            timeout=timeout,
        )

    def pause(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsPauseAnswer:
        """Pause a log stream"""
        return self._caller.json(
            "POST",
            "/api/v1/log-streams/{id}/pause",
            id,
            {},
            timeout=timeout,
        )

    def resume(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsResumeAnswer:
        """Resume a log stream"""
        return self._caller.json(
            "POST",
            "/api/v1/log-streams/{id}/resume",
            id,
            {},
            timeout=timeout,
        )


class Members(Group):
    """Calls about members."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.Member]:
        """List members, newest first"""
        return self._list(
            "/api/v1/members",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def create(
        self,
        body: types.MemberInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersCreateAnswer:
        """Add a member"""
        return self._caller.json(
            "POST",
            "/api/v1/members",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersGetAnswer:
        """Get one member"""
        return self._caller.json(
            "GET",
            "/api/v1/members/{id}",
            id,
            {},
            timeout=timeout,
        )

    def update(
        self,
        id: str,
        body: types.MemberPatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersUpdateAnswer:
        """Change a member's name, role or end of access"""
        return self._caller.json(
            "PATCH",
            "/api/v1/members/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersDeleteAnswer:
        """Remove a member"""
        return self._caller.json(
            "DELETE",
            "/api/v1/members/{id}",
            id,
            {},
            timeout=timeout,
        )

    def invite(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersInviteAnswer:
        """Send an invitation again"""
        return self._caller.json(
            "POST",
            "/api/v1/members/{id}/invite",
            id,
            {},
            timeout=timeout,
        )

    def end_sessions(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersEndSessionsAnswer:
        """End all sessions of a member for this workspace"""
        return self._caller.json(
            "DELETE",
            "/api/v1/members/{id}/sessions",
            id,
            {},
            timeout=timeout,
        )


class Sessions(Group):
    """Calls about sessions."""

    def list(
        self,
        *,
        member_id: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.MemberSession]:
        """List the sessions of members, newest first"""
        return self._list(
            "/api/v1/sessions",
            None,
            {
                "member_id": member_id,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.SessionsDeleteAnswer:
        """End a session for this workspace"""
        return self._caller.json(
            "DELETE",
            "/api/v1/sessions/{id}",
            id,
            {},
            timeout=timeout,
        )


class ApiKeys(Group):
    """Calls about api keys."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> Pages[types.ApiKey]:
        """List API keys, newest first"""
        return self._list(
            "/api/v1/api-keys",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    def create(
        self,
        body: types.ApiKeyInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ApiKeysCreateAnswer:
        """Create an API key"""
        return self._caller.json(
            "POST",
            "/api/v1/api-keys",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ApiKeysGetAnswer:
        """Get one API key"""
        return self._caller.json(
            "GET",
            "/api/v1/api-keys/{id}",
            id,
            {},
            timeout=timeout,
        )

    def revoke(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ApiKeysRevokeAnswer:
        """Revoke an API key"""
        return self._caller.json(
            "DELETE",
            "/api/v1/api-keys/{id}",
            id,
            {},
            timeout=timeout,
        )


class Workspace(Group):
    """Calls about workspace."""

    def get(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceGetAnswer:
        """Get the workspace's settings"""
        return self._caller.json(
            "GET",
            "/api/v1/workspace",
            None,
            {},
            timeout=timeout,
        )

    def update(
        self,
        body: types.WorkspacePatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceUpdateAnswer:
        """Change the workspace's settings"""
        return self._caller.json(
            "PATCH",
            "/api/v1/workspace",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def viewer_settings(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceViewerSettingsAnswer:
        """Get how the viewer tells events"""
        return self._caller.json(
            "GET",
            "/api/v1/viewer/settings",
            None,
            {},
            timeout=timeout,
        )

    def rotate_viewer_key(
        self,
        body: types.ViewerKeyRotation,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceRotateViewerKeyAnswer:
        """Replace the key that signs viewer tokens"""
        return self._caller.json(
            "POST",
            "/api/v1/workspace/viewer-key/rotate",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    def usage(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceUsageAnswer:
        """Get what was used of the plan"""
        return self._caller.json(
            "GET",
            "/api/v1/usage",
            None,
            {},
            timeout=timeout,
        )


class Health(Group):
    """Calls about health."""

    def live(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.HealthLiveAnswer:
        """Whether the process is alive"""
        return self._caller.json(
            "GET",
            "/healthz",
            None,
            {},
            timeout=timeout,
        )

    def ready(
        self,
        *,
        for_: Optional[Literal["write"]] = None,
        timeout: float = TIMEOUT,
    ) -> types.HealthReadyAnswer:
        """Whether the server takes requests"""
        return self._caller.json(
            "GET",
            "/readyz",
            None,
            {
                "for": for_,
            },
            timeout=timeout,
        )


class Endpoints:
    """The calls of the interface, by what they are about."""

    def __init__(self, caller: Caller) -> None:
        self.events = Events(caller)
        self.checkpoints = Checkpoints(caller)
        self.anchors = Anchors(caller)
        self.exports = Exports(caller)
        self.viewer_tokens = ViewerTokens(caller)
        self.alerts = Alerts(caller)
        self.alert_rules = AlertRules(caller)
        self.webhooks = Webhooks(caller)
        self.deliveries = Deliveries(caller)
        self.log_streams = LogStreams(caller)
        self.members = Members(caller)
        self.sessions = Sessions(caller)
        self.api_keys = ApiKeys(caller)
        self.workspace = Workspace(caller)
        self.health = Health(caller)


class AsyncEvents(AsyncGroup):
    """Calls about events."""

    def list(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        total: Optional[Literal["exact", "none"]] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Event]:
        """List events, newest first"""
        return self._list(
            "/api/v1/events",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
                "cursor": cursor,
                "limit": limit,
                "total": total,
            },
            timeout,
        )

    async def count(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsCountAnswer:
        """Count events"""
        return await self._json(
            "GET",
            "/api/v1/events/count",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
            },
            timeout=timeout,
        )

    async def histogram(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        buckets: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsHistogramAnswer:
        """Count events over time"""
        return await self._json(
            "GET",
            "/api/v1/events/histogram",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
                "buckets": buckets,
            },
            timeout=timeout,
        )

    async def facets(
        self,
        *,
        field: Literal["action", "actor", "resource", "resource_id", "resource_name", "target", "session_id", "country", "category", "tenant_id"],
        prefix: Optional[str] = None,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsFacetsAnswer:
        """List the most frequent values of a field"""
        return await self._json(
            "GET",
            "/api/v1/events/facets",
            None,
            {
                "field": field,
                "prefix": prefix,
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
            },
            timeout=timeout,
        )

    async def export(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        format: Optional[Literal["csv", "ndjson"]] = None,
        timeout: float = TIMEOUT,
    ) -> Stream:
        """Export events at once"""
        return await self._open(
            "/api/v1/events/export",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
                "format": format,
            },
            timeout,
        )

    async def live(
        self,
        *,
        action: Optional[Union[str, List[str]]] = None,
        category: Optional[Union[str, List[str]]] = None,
        actor_id: Optional[Union[str, List[str]]] = None,
        resource: Optional[Union[str, List[str]]] = None,
        resource_id: Optional[Union[str, List[str]]] = None,
        resource_name: Optional[Union[str, List[str]]] = None,
        tenant_id: Optional[Union[str, List[str]]] = None,
        session_id: Optional[Union[str, List[str]]] = None,
        country: Optional[Union[str, List[str]]] = None,
        search: Optional[Union[str, List[str]]] = None,
        target_type: Optional[Union[str, List[str]]] = None,
        target_id: Optional[Union[str, List[str]]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        time: Optional[Literal["recorded", "occurred"]] = None,
        timeout: float = TIMEOUT,
    ) -> Stream:
        """Follow how many events are new"""
        return await self._open(
            "/api/v1/events/live",
            None,
            {
                "action": action,
                "category": category,
                "actor_id": actor_id,
                "resource": resource,
                "resource_id": resource_id,
                "resource_name": resource_name,
                "tenant_id": tenant_id,
                "session_id": session_id,
                "country": country,
                "search": search,
                "target_type": target_type,
                "target_id": target_id,
                "from": from_,
                "to": to,
                "time": time,
            },
            timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.Event:
        """Get one event"""
        return await self._json(
            "GET",
            "/api/v1/events/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def proof(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.EventProof:
        """Prove one event"""
        return await self._json(
            "GET",
            "/api/v1/events/{id}/proof",
            id,
            {},
            timeout=timeout,
        )

    async def proofs(
        self,
        body: types.ProofsInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.EventProofs:
        """Prove a page of events"""
        return await self._json(
            "POST",
            "/api/v1/events/proofs",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def verify(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.EventsVerifyAnswer:
        """Verify the event hash chain"""
        return await self._json(
            "GET",
            "/api/v1/verify",
            None,
            {
                "from": from_,
                "to": to,
                "limit": limit,
            },
            timeout=timeout,
        )

    async def verification(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.EventsVerificationAnswer:
        """Get how far the service itself has verified the log"""
        return await self._json(
            "GET",
            "/api/v1/verification",
            None,
            {},
            timeout=timeout,
        )


class AsyncCheckpoints(AsyncGroup):
    """Calls about checkpoints."""

    async def latest(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> str:
        """Get the signed checkpoint of the log"""
        return await self._json(
            "GET",
            "/api/v1/checkpoint",
            None,
            {},
            is_text=True,
            timeout=timeout,
        )

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.SignedCheckpoint]:
        """List the checkpoints that were signed unasked, newest first"""
        return self._list(
            "/api/v1/checkpoints",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def consistency(
        self,
        *,
        from_: str,
        to: str,
        timeout: float = TIMEOUT,
    ) -> types.CheckpointsConsistencyAnswer:
        """Prove that one checkpoint grew out of another"""
        return await self._json(
            "GET",
            "/api/v1/checkpoint/consistency",
            None,
            {
                "from": from_,
                "to": to,
            },
            timeout=timeout,
        )


class AsyncAnchors(AsyncGroup):
    """Calls about anchors."""

    def list(
        self,
        *,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Anchor]:
        """List anchors, newest first"""
        return self._list(
            "/api/v1/anchors",
            None,
            {
                "limit": limit,
            },
            timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AnchorsGetAnswer:
        """Get one anchor"""
        return await self._json(
            "GET",
            "/api/v1/anchors/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def verify(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AnchorsVerifyAnswer:
        """Verify an anchor"""
        return await self._json(
            "GET",
            "/api/v1/anchors/{id}/verify",
            id,
            {},
            timeout=timeout,
        )

    async def close_period(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AnchorsClosePeriodAnswer:
        """Close the open period now"""
        return await self._json(
            "POST",
            "/api/v1/anchors",
            None,
            {},
            timeout=timeout,
        )


class AsyncExports(AsyncGroup):
    """Calls about exports."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Export]:
        """List exports, newest first"""
        return self._list(
            "/api/v1/exports",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def create(
        self,
        body: types.ExportInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ExportsCreateAnswer:
        """Create an export"""
        return await self._json(
            "POST",
            "/api/v1/exports",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ExportsGetAnswer:
        """Get an export's status"""
        return await self._json(
            "GET",
            "/api/v1/exports/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def download(
        self,
        id: str,
        *,
        expires: Optional[str] = None,
        signature: Optional[str] = None,
        for_: Optional[str] = None,
        timeout: float = TIMEOUT,
    ) -> Stream:
        """Download a completed export"""
        return await self._open(
            "/api/v1/exports/{id}/download",
            id,
            {
                "expires": expires,
                "signature": signature,
                "for": for_,
            },
            timeout,
        )


class AsyncViewerTokens(AsyncGroup):
    """Calls about viewer tokens."""

    async def create(
        self,
        body: types.ViewerTokenInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ViewerToken:
        """Create a viewer token"""
        return await self._json(
            "POST",
            "/api/v1/viewer-token",
            None,
            {},
            body=body,
            timeout=timeout,
        )


class AsyncAlerts(AsyncGroup):
    """Calls about alerts."""

    def list(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        rule_type: Optional[Literal["new_country", "high_volume_destructive", "ingestion_spike", "repeated_action", "off_hours"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.ListedAlert]:
        """List alerts, newest first"""
        return self._list(
            "/api/v1/alerts",
            None,
            {
                "from": from_,
                "to": to,
                "rule_type": rule_type,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def acknowledge(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertsAcknowledgeAnswer:
        """Acknowledge an alert"""
        return await self._json(
            "POST",
            "/api/v1/alerts/{id}/acknowledge",
            id,
            {},
            timeout=timeout,
        )


class AsyncAlertRules(AsyncGroup):
    """Calls about alert rules."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.AlertRule]:
        """List alert rules, newest first"""
        return self._list(
            "/api/v1/alert-rules",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def create(
        self,
        body: types.AlertRuleInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesCreateAnswer:
        """Create an alert rule"""
        return await self._json(
            "POST",
            "/api/v1/alert-rules",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesGetAnswer:
        """Get one alert rule"""
        return await self._json(
            "GET",
            "/api/v1/alert-rules/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        body: types.AlertRulePatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesUpdateAnswer:
        """Change an alert rule"""
        return await self._json(
            "PATCH",
            "/api/v1/alert-rules/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesDeleteAnswer:
        """Delete an alert rule"""
        return await self._json(
            "DELETE",
            "/api/v1/alert-rules/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def backtest(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesBacktestAnswer:
        """Try an alert rule on history"""
        return await self._json(
            "POST",
            "/api/v1/alert-rules/{id}/backtest",
            id,
            {},
            timeout=timeout,
        )

    async def backtest_new(
        self,
        body: types.AlertRuleInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.AlertRulesBacktestNewAnswer:
        """Try a new alert rule on history"""
        return await self._json(
            "POST",
            "/api/v1/alert-rules/backtest",
            None,
            {},
            body=body,
            timeout=timeout,
        )


class AsyncWebhooks(AsyncGroup):
    """Calls about webhooks."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Webhook]:
        """List webhooks, newest first"""
        return self._list(
            "/api/v1/webhooks",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def create(
        self,
        body: types.WebhookInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksCreateAnswer:
        """Create a webhook"""
        return await self._json(
            "POST",
            "/api/v1/webhooks",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksGetAnswer:
        """Get one webhook"""
        return await self._json(
            "GET",
            "/api/v1/webhooks/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        body: types.WebhookPatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksUpdateAnswer:
        """Change a webhook"""
        return await self._json(
            "PATCH",
            "/api/v1/webhooks/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksDeleteAnswer:
        """Delete a webhook"""
        return await self._json(
            "DELETE",
            "/api/v1/webhooks/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def test(
        self,
        id: str,
        *,
        wait: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksTestAnswer:
        """Send a test message to a webhook"""
        return await self._json(
            "POST",
            "/api/v1/webhooks/{id}/test",
            id,
            {
                "wait": wait,
            },
            timeout=timeout,
        )

    async def rotate_secret(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WebhooksRotateSecretAnswer:
        """Replace a webhook's secret"""
        return await self._json(
            "POST",
            "/api/v1/webhooks/{id}/rotate-secret",
            id,
            {},
            timeout=timeout,
        )

    def deliveries(
        self,
        id: str,
        *,
        status: Optional[Literal["pending", "delivered", "failed"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Delivery]:
        """List a webhook's deliveries, newest first"""
        return self._list(
            "/api/v1/webhooks/{id}/deliveries",
            id,
            {
                "status": status,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )


class AsyncDeliveries(AsyncGroup):
    """Calls about deliveries."""

    def list(
        self,
        *,
        channel: Optional[Literal["webhook", "mail", "stream"]] = None,
        status: Optional[Literal["pending", "delivered", "failed"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Delivery]:
        """List the deliveries of all webhooks and by mail, newest first"""
        return self._list(
            "/api/v1/deliveries",
            None,
            {
                "channel": channel,
                "status": status,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.DeliveriesGetAnswer:
        """Get one delivery and its attempts"""
        return await self._json(
            "GET",
            "/api/v1/deliveries/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def redeliver(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.DeliveriesRedeliverAnswer:
        """Send a delivery again"""
        return await self._json(
            "POST",
            "/api/v1/deliveries/{id}/redeliver",
            id,
            {},
            timeout=timeout,
        )


class AsyncLogStreams(AsyncGroup):
    """Calls about log streams."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.LogStream]:
        """List log streams, newest first"""
        return self._list(
            "/api/v1/log-streams",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def create(
        self,
        body: types.LogStreamInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsCreateAnswer:
        """Create a log stream"""
        return await self._json(
            "POST",
            "/api/v1/log-streams",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsGetAnswer:
        """Get one log stream"""
        return await self._json(
            "GET",
            "/api/v1/log-streams/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        body: types.LogStreamPatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsUpdateAnswer:
        """Change a log stream"""
        return await self._json(
            "PATCH",
            "/api/v1/log-streams/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsDeleteAnswer:
        """Delete a log stream"""
        return await self._json(
            "DELETE",
            "/api/v1/log-streams/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def test(
        self,
        id: str,
        *,
        wait: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsTestAnswer:
        """Send a test record to a log stream's destination"""
        return await self._json(
            "POST",
            "/api/v1/log-streams/{id}/test",
            id,
            {
                "wait": wait,
            },
            timeout=timeout,
        )

    async def pause(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsPauseAnswer:
        """Pause a log stream"""
        return await self._json(
            "POST",
            "/api/v1/log-streams/{id}/pause",
            id,
            {},
            timeout=timeout,
        )

    async def resume(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.LogStreamsResumeAnswer:
        """Resume a log stream"""
        return await self._json(
            "POST",
            "/api/v1/log-streams/{id}/resume",
            id,
            {},
            timeout=timeout,
        )


class AsyncMembers(AsyncGroup):
    """Calls about members."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.Member]:
        """List members, newest first"""
        return self._list(
            "/api/v1/members",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def create(
        self,
        body: types.MemberInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersCreateAnswer:
        """Add a member"""
        return await self._json(
            "POST",
            "/api/v1/members",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersGetAnswer:
        """Get one member"""
        return await self._json(
            "GET",
            "/api/v1/members/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def update(
        self,
        id: str,
        body: types.MemberPatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersUpdateAnswer:
        """Change a member's name, role or end of access"""
        return await self._json(
            "PATCH",
            "/api/v1/members/{id}",
            id,
            {},
            body=body,
            timeout=timeout,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersDeleteAnswer:
        """Remove a member"""
        return await self._json(
            "DELETE",
            "/api/v1/members/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def invite(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersInviteAnswer:
        """Send an invitation again"""
        return await self._json(
            "POST",
            "/api/v1/members/{id}/invite",
            id,
            {},
            timeout=timeout,
        )

    async def end_sessions(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.MembersEndSessionsAnswer:
        """End all sessions of a member for this workspace"""
        return await self._json(
            "DELETE",
            "/api/v1/members/{id}/sessions",
            id,
            {},
            timeout=timeout,
        )


class AsyncSessions(AsyncGroup):
    """Calls about sessions."""

    def list(
        self,
        *,
        member_id: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.MemberSession]:
        """List the sessions of members, newest first"""
        return self._list(
            "/api/v1/sessions",
            None,
            {
                "member_id": member_id,
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.SessionsDeleteAnswer:
        """End a session for this workspace"""
        return await self._json(
            "DELETE",
            "/api/v1/sessions/{id}",
            id,
            {},
            timeout=timeout,
        )


class AsyncApiKeys(AsyncGroup):
    """Calls about api keys."""

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: float = TIMEOUT,
    ) -> AsyncPages[types.ApiKey]:
        """List API keys, newest first"""
        return self._list(
            "/api/v1/api-keys",
            None,
            {
                "cursor": cursor,
                "limit": limit,
            },
            timeout,
        )

    async def create(
        self,
        body: types.ApiKeyInput,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ApiKeysCreateAnswer:
        """Create an API key"""
        return await self._json(
            "POST",
            "/api/v1/api-keys",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def get(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ApiKeysGetAnswer:
        """Get one API key"""
        return await self._json(
            "GET",
            "/api/v1/api-keys/{id}",
            id,
            {},
            timeout=timeout,
        )

    async def revoke(
        self,
        id: str,
        *,
        timeout: float = TIMEOUT,
    ) -> types.ApiKeysRevokeAnswer:
        """Revoke an API key"""
        return await self._json(
            "DELETE",
            "/api/v1/api-keys/{id}",
            id,
            {},
            timeout=timeout,
        )


class AsyncWorkspace(AsyncGroup):
    """Calls about workspace."""

    async def get(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceGetAnswer:
        """Get the workspace's settings"""
        return await self._json(
            "GET",
            "/api/v1/workspace",
            None,
            {},
            timeout=timeout,
        )

    async def update(
        self,
        body: types.WorkspacePatch,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceUpdateAnswer:
        """Change the workspace's settings"""
        return await self._json(
            "PATCH",
            "/api/v1/workspace",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def viewer_settings(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceViewerSettingsAnswer:
        """Get how the viewer tells events"""
        return await self._json(
            "GET",
            "/api/v1/viewer/settings",
            None,
            {},
            timeout=timeout,
        )

    async def rotate_viewer_key(
        self,
        body: types.ViewerKeyRotation,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceRotateViewerKeyAnswer:
        """Replace the key that signs viewer tokens"""
        return await self._json(
            "POST",
            "/api/v1/workspace/viewer-key/rotate",
            None,
            {},
            body=body,
            timeout=timeout,
        )

    async def usage(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.WorkspaceUsageAnswer:
        """Get what was used of the plan"""
        return await self._json(
            "GET",
            "/api/v1/usage",
            None,
            {},
            timeout=timeout,
        )


class AsyncHealth(AsyncGroup):
    """Calls about health."""

    async def live(
        self,
        *,
        timeout: float = TIMEOUT,
    ) -> types.HealthLiveAnswer:
        """Whether the process is alive"""
        return await self._json(
            "GET",
            "/healthz",
            None,
            {},
            timeout=timeout,
        )

    async def ready(
        self,
        *,
        for_: Optional[Literal["write"]] = None,
        timeout: float = TIMEOUT,
    ) -> types.HealthReadyAnswer:
        """Whether the server takes requests"""
        return await self._json(
            "GET",
            "/readyz",
            None,
            {
                "for": for_,
            },
            timeout=timeout,
        )


class AsyncEndpoints:
    """The calls of the interface, by what they are about."""

    def __init__(self, caller: Caller, run: Runner) -> None:
        self.events = AsyncEvents(caller, run)
        self.checkpoints = AsyncCheckpoints(caller, run)
        self.anchors = AsyncAnchors(caller, run)
        self.exports = AsyncExports(caller, run)
        self.viewer_tokens = AsyncViewerTokens(caller, run)
        self.alerts = AsyncAlerts(caller, run)
        self.alert_rules = AsyncAlertRules(caller, run)
        self.webhooks = AsyncWebhooks(caller, run)
        self.deliveries = AsyncDeliveries(caller, run)
        self.log_streams = AsyncLogStreams(caller, run)
        self.members = AsyncMembers(caller, run)
        self.sessions = AsyncSessions(caller, run)
        self.api_keys = AsyncApiKeys(caller, run)
        self.workspace = AsyncWorkspace(caller, run)
        self.health = AsyncHealth(caller, run)
