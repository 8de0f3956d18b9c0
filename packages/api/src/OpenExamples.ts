/** An example for the body of each request, which a fresh workspace takes as it is. */
import { isRecord, type Json, mapOperations, member } from "./OpenDocument.ts"

const EVENT = {
  actor_id: "user_42",
  actor_type: "user",
  action: "invoice.created",
  resource: "invoice",
  resource_id: "inv_2024_001",
  tenant_id: "acme",
  metadata: { amount: 1200, currency: "EUR" }
}

/** The examples, by the operations' ids. */
const EXAMPLES: Readonly<Record<string, Json>> = {
  "events.ingest": EVENT,
  "events.ingestBatch": { events: [EVENT, { actor_id: "user_43", action: "invoice.sent" }] },
  "proofs.eventProofs": { ids: ["7c9e6679-7425-40de-944b-e07fc1f90ae7"] },
  "exports.createExport": { format: "ndjson", from: "2024-01-01", tenant_id: "acme" },
  "viewer.createViewerToken": { tenant_id: "acme", ttl: 3600 },
  "viewer.createViewerTokenAlias": { tenant_id: "acme", ttl: 3600 },
  "alertRules.createAlertRule": {
    name: "Work at night",
    rule_type: "off_hours",
    parameters: { timezone: "Europe/Berlin", start: "08:00", end: "19:00" }
  },
  "alertRules.tryAlertRule": {
    name: "Mass deletion",
    rule_type: "high_volume_destructive",
    parameters: { threshold: 5 }
  },
  "alertRules.updateAlertRule": { cooldown_seconds: 600 },
  "webhooks.createWebhook": {
    url: "https://example.com/hooks/cairn",
    types: ["alert.triggered", "chain.broken"]
  },
  "webhooks.updateWebhook": { enabled: false },
  "members.createMember": { email: "security@example.com", role: "admin" },
  "members.updateMember": { role: "owner" },
  "logStreams.createLogStream": {
    name: "Archive",
    destination: { type: "https", url: "https://example.com/logs" }
  },
  "logStreams.updateLogStream": { batch_seconds: 30 },
  "management.updateWorkspace": {
    name: "Acme",
    viewer: { sentences: { "invoice.*": { en: "{actor} worked on {resource}" } } }
  },
  "management.rotateViewerKey": { revoke: false },
  "management.createApiKey": { name: "Billing service", scopes: ["ingest"] }
}

const MEDIA_TYPE = "application/json"

/** The document whose requests have an example each. */
export const withExamples = (document: Json): Record<string, unknown> =>
  mapOperations(document, (operation) => {
    const value = EXAMPLES[String(operation.operationId)]
    const { requestBody } = operation
    if (value === undefined || !isRecord(requestBody)) return operation
    const content = member(requestBody, "content")
    return {
      ...operation,
      requestBody: {
        ...requestBody,
        content: { ...content, [MEDIA_TYPE]: { ...member(content, MEDIA_TYPE), example: value } }
      }
    }
  })
