/** Who makes a request, and what it may do. */
import type { Reader } from "@cairn/core/access"
import { Micros } from "@cairn/core/encoding"
import type { ViewerScope } from "@cairn/core/event"
import type { Manager } from "@cairn/core/management"
import {
  type ApiKey,
  type Member,
  type Permission,
  roleAllows,
  type Scope,
  scopesAllow,
  scopesWithin,
  type Viewer
} from "@cairn/core/workspace"
import type { WorkspaceProfile } from "./WorkspaceDirectory.ts"

/** Who makes a request in a workspace. */
export interface Identity extends Omit<Manager, "address"> {
  readonly workspaceId: string
  /** Whether it has a permission. */
  readonly allows: (permission: Permission) => boolean
  /** Why it has not, in words that follow "The". */
  readonly lacks: (permission: Permission) => string
}

/** Who reads, for the record. */
export const readerOf = ({ type, id, name }: Pick<Identity, "type" | "id" | "name">): Reader => ({
  is: `${type} ${id}`,
  id,
  name,
  type
})

/** The same; null for a key whose reads the workspace does not record. */
export const recordedReader = (
  identity: Pick<Identity, "type" | "id" | "name">,
  { workspace }: WorkspaceProfile
): Reader | null =>
  workspace.closed_at !== null || (identity.type === "api_key" && !workspace.key_access_events)
    ? null
    : readerOf(identity)

/** The reader whose reads are recorded: nobody's are in a log that was closed. */
export const recordedIn = ({ workspace }: WorkspaceProfile, reader: Reader): Reader | null =>
  workspace.closed_at === null ? reader : null

/** The reader by the link of an export: all who have the link. */
export const linkReader = (exportId: string): Reader => readerOf({ type: "link", id: exportId, name: null })

/**
 * The reader behind a viewer token: the tenant, or the actor where it is not for a tenant, who is not named:
 * erasing the actor could not erase that. The id is of the reader and no token's, so that one filter finds
 * all that it has read.
 */
export const viewerReader = ({ tenantId, actorId }: ViewerScope): Reader => ({
  is: `viewer ${JSON.stringify(tenantId === null ? { actorId } : { tenantId })}`,
  id: null,
  name: tenantId,
  type: "viewer",
  metadata: {
    ...(tenantId === null ? {} : { tenant_id: tenantId }),
    ...(tenantId !== null || actorId === null ? {} : { scope: "actor" })
  }
})

const SCOPES: ReadonlyArray<Scope> = ["ingest", "read", "export", "viewer", "admin"]

/** The identity behind an API key, which gives no more than it has, and no longer. */
export const keyIdentity = ({
  id,
  name,
  workspace_id,
  scopes,
  expires_at
}: Pick<ApiKey, "id" | "name" | "workspace_id" | "scopes" | "expires_at">): Identity => ({
  id,
  name,
  type: "api_key",
  workspaceId: workspace_id,
  mayGive: scopes,
  ...(expires_at === null ? {} : { until: expires_at }),
  allows: (permission) => scopesAllow(scopes, permission),
  lacks: () => "API key lacks the scope"
})

/**
 * The identity behind a viewer token, which is asked for no permission but that to export: its endpoints are
 * named apart.
 */
export const viewerIdentity = ({
  tokenId,
  workspaceId,
  mayExport,
  expiresAt
}: Pick<Viewer, "tokenId" | "workspaceId" | "mayExport" | "expiresAt">): Identity => ({
  id: tokenId,
  name: null,
  type: "viewer",
  workspaceId,
  until: expiresAt * Micros.SECOND,
  allows: (permission) => mayExport && permission === "exports:create",
  lacks: () => "viewer token lacks the scope"
})

/** The identity behind the session of a member. */
export const memberIdentity = ({ id, name, email, role, workspace_id, expires_at }: Member): Identity => ({
  id,
  name: name ?? email,
  type: "member",
  workspaceId: workspace_id,
  mayGive: scopesWithin(role, SCOPES),
  ...(expires_at === null ? {} : { until: expires_at }),
  isBelowOwners: !roleAllows(role, "owners:write"),
  allows: (permission) => roleAllows(role, permission),
  lacks: () => `role ${role} lacks the permission`
})
