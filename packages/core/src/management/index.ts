/** The use cases that change a service's settings and record each change. */
export { LOSS_ACCEPTED, recordAcceptedLosses } from "./AcceptedLosses.ts"
export { AlertRuleManagement } from "./AlertRuleManagement.ts"
export { ApiKeyManagement } from "./ApiKeyManagement.ts"
export { ConsumerManagement, type ConsumerStanding } from "./ConsumerManagement.ts"
export { expiryFault } from "./Expiry.ts"
export { ExportManagement } from "./ExportManagement.ts"
export { LogStreamManagement } from "./LogStreamManagement.ts"
export {
  bodyOfChange,
  COMMAND_LINE,
  IDENTITY_PROVIDER,
  type ManagementChange,
  ManagementEvents,
  type Manager,
  NotAllowed,
  onceKey,
  SETUP_LINK
} from "./ManagementEvent.ts"
export { MemberInvitations, NotInvited } from "./MemberInvitations.ts"
export { MemberManagement } from "./MemberManagement.ts"
export { NotFound } from "./NotFound.ts"
export { ProviderMemberships } from "./ProviderMemberships.ts"
export { inspectSecrets, type MissingSecretKey, type SealedKind, sealedSecrets } from "./SealedSecrets.ts"
export { SecretRotation } from "./SecretRotation.ts"
export {
  type EndedSessions,
  endedRecords,
  memberManager,
  type RefusedSignIn,
  refusedRecords,
  SIGN_IN
} from "./SessionRecords.ts"
export { AlreadySetUp, Setup, type SetupFault, SetupIncomplete, type SetupInput } from "./Setup.ts"
export { UsageReader } from "./UsageReader.ts"
export { ViewerKeyManagement } from "./ViewerKeyManagement.ts"
export { ReceiverGone, WebhookManagement } from "./WebhookManagement.ts"
export { NotAMember, WorkspaceEntry } from "./WorkspaceEntry.ts"
export { WorkspaceManagement, type WorkspaceUpdate } from "./WorkspaceManagement.ts"
export { workspaceView } from "./WorkspaceView.ts"
