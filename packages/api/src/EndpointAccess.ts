/**
 * What of a workspace each endpoint reads: the kind of access that is recorded when it has answered. The
 * server and the documentation read it.
 */
import type { AccessKind } from "@cairn/core/access"
import type { Permission } from "@cairn/core/workspace"
import type { EndpointName, HealthEndpointName, PersonEndpointName } from "./ApiGroups.ts"
import { permissionFor } from "./EndpointPermissions.ts"

/**
 * An endpoint without a line does not compile. Null for one that changes something, which is an event, and
 * for what every page of the viewer reads before it shows anything of the log.
 */
const WORKSPACE_ENDPOINTS = {
  ingest: null,
  ingestBatch: null,
  listEvents: "events",
  countEvents: "events",
  eventHistogram: "events",
  eventFacets: "events",
  getEvent: "events",
  exportEvents: "events",
  liveEvents: "events",
  verify: "proofs",
  getVerification: "proofs",
  listAnchors: "proofs",
  closePeriod: null,
  getAnchor: "proofs",
  verifyAnchor: "proofs",
  checkpoint: "proofs",
  listCheckpoints: "proofs",
  checkpointConsistency: "proofs",
  eventProof: "proofs",
  eventProofs: "proofs",
  listExports: "exports",
  createExport: null,
  getExport: "exports",
  downloadExport: "downloads",
  getViewerSettings: null,
  createViewerToken: null,
  createViewerTokenAlias: null,
  listAlerts: "alerts",
  acknowledgeAlert: null,
  listAlertRules: "settings",
  createAlertRule: null,
  getAlertRule: "settings",
  updateAlertRule: null,
  deleteAlertRule: null,
  backtestAlertRule: "events",
  tryAlertRule: "events",
  listWebhooks: "settings",
  createWebhook: null,
  getWebhook: "settings",
  updateWebhook: null,
  deleteWebhook: null,
  testWebhook: null,
  rotateWebhookSecret: null,
  listWebhookDeliveries: "deliveries",
  listDeliveries: "deliveries",
  getDelivery: "deliveries",
  redeliver: null,
  listMembers: "settings",
  createMember: null,
  getMember: "settings",
  updateMember: null,
  deleteMember: null,
  inviteMember: null,
  listSessions: "settings",
  endSession: null,
  endSessions: null,
  listLogStreams: "settings",
  createLogStream: null,
  getLogStream: "settings",
  updateLogStream: null,
  deleteLogStream: null,
  pauseLogStream: null,
  resumeLogStream: null,
  testLogStream: null,
  getWorkspace: "settings",
  updateWorkspace: null,
  rotateViewerKey: null,
  getUsage: "settings",
  listApiKeys: "settings",
  createApiKey: null,
  getApiKey: "settings",
  revokeApiKey: null
} as const satisfies Record<Exclude<EndpointName, HealthEndpointName | PersonEndpointName>, AccessKind | null>

/** Changes that answer with what is there, also where nothing has changed: they are reads as well. */
const CHANGES_THAT_SHOW: Partial<Record<EndpointName, AccessKind>> = {
  acknowledgeAlert: "alerts",
  updateAlertRule: "settings",
  updateWebhook: "settings",
  updateMember: "settings",
  updateLogStream: "settings",
  pauseLogStream: "settings",
  resumeLogStream: "settings",
  updateWorkspace: "settings",
  revokeApiKey: "settings"
}

const kinds: Readonly<Record<string, AccessKind | null>> = WORKSPACE_ENDPOINTS

/** What an endpoint of a workspace reads; null for the others. */
export const accessOf = (endpoint: EndpointName): AccessKind | null =>
  kinds[endpoint] ?? CHANGES_THAT_SHOW[endpoint] ?? null

/** Permissions of endpoints that record no event of their own where they read nothing. */
const CHANGE_NOTHING: ReadonlySet<Permission | null> = new Set(["events:write", "events:read"])

/** Whether an endpoint changes something of a workspace, which is an event: sending events does not. */
export const isChange = (endpoint: EndpointName): boolean =>
  kinds[endpoint] === null && !CHANGE_NOTHING.has(permissionFor(endpoint))
