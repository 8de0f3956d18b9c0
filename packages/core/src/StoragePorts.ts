/** What a database adapter implements: the complete list of storage ports. */
import type { AlertRules } from "./alert/AlertRules.ts"
import type { Alerts } from "./alert/Alerts.ts"
import type { Anchors } from "./anchor/Anchors.ts"
import type { Checkpoints } from "./checkpoint/Checkpoints.ts"
import type { TreeStore } from "./checkpoint/TreeStore.ts"
import type { Consumers } from "./consumer/Consumers.ts"
import type { Exports } from "./export/Exports.ts"
import type { EventLog } from "./log/EventLog.ts"
import type { EventUsage, Inbox } from "./log/Inbox.ts"
import type { InboxSignal } from "./log/InboxSignal.ts"
import type { SearchIndexer } from "./log/SearchIndexer.ts"
import type { StrayKeys } from "./log/StrayKeys.ts"
import type { Workspaces } from "./log/Workspace.ts"
import type { LogStreams } from "./outbound/LogStreams.ts"
import type { Outbox } from "./outbound/Outbox.ts"
import type { Webhooks } from "./outbound/Webhooks.ts"
import type { People } from "./people/People.ts"
import type { Sessions } from "./people/Sessions.ts"
import type { SignInLinks } from "./people/SignInLinks.ts"
import type { ContentRemoval } from "./retention/ContentRemoval.ts"
import type { StoreCheck } from "./verification/StoreCheck.ts"
import type { ApiKeys } from "./workspace/ApiKey.ts"
import type { ManagedWorkspaces } from "./workspace/ManagedWorkspace.ts"
import type { Members } from "./workspace/Members.ts"
import type { ViewerKeys } from "./workspace/ViewerKeys.ts"

/**
 * All ports that a database adapter provides. The adapter's layer has this type, so a missing port does not
 * compile. The comment of each port is its contract, which the suites of `@cairn/testing` check. An adapter
 * for several machines also provides `Continuity`, `RateBuckets` and `StoreClock`.
 */
export type StoragePorts =
  | AlertRules
  | Alerts
  | Anchors
  | ApiKeys
  | Checkpoints
  | Consumers
  | ContentRemoval
  | EventLog
  | EventUsage
  | Exports
  | Inbox
  | InboxSignal
  | LogStreams
  | ManagedWorkspaces
  | Members
  | Outbox
  | People
  | SearchIndexer
  | Sessions
  | SignInLinks
  | StoreCheck
  | StrayKeys
  | TreeStore
  | ViewerKeys
  | Webhooks
  | Workspaces
