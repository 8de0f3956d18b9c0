/**
 * What a service decides for a workspace: settings, plan, usage, members, API keys, viewer tokens and rate
 * limits.
 */
export { addressKey } from "./AddressKey.ts"
export {
  ApiKey,
  ApiKeyNotFound,
  ApiKeys,
  apiKeyPublicId,
  DEFAULT_SCOPES,
  generateApiKey,
  isLiveKey,
  Scope
} from "./ApiKey.ts"
export { ApiKeyHasher } from "./ApiKeyHasher.ts"
export { demoAmong, demoWorkspaceId } from "./DemoWorkspace.ts"
export {
  FRAME_ANCESTOR_FORM,
  frameAncestorFault,
  isFrameAncestor,
  isOriginOf,
  MAX_FRAME_ANCESTORS
} from "./FrameAncestor.ts"
export { parseToken, payloadText } from "./JsonWebSignature.ts"
export { liftedRestriction } from "./LiftedRestriction.ts"
export {
  asFirst,
  layerWorkspaces,
  MAX_ALLOWLIST,
  ManagedWorkspace,
  type ManagedWorkspaceChange,
  ManagedWorkspaces,
  NotTheFirst,
  networkFault,
  UnknownFields,
  WorkspaceNameTaken,
  WorkspaceNotFound,
  withNewName
} from "./ManagedWorkspace.ts"
export { emailFault, MAX_EMAIL, MemberInput, MemberPatch } from "./MemberInput.ts"
export {
  hasAddress,
  hasLeft,
  LastOwner,
  Member,
  MemberExists,
  Members,
  mendStoredMember,
  withNewEmail
} from "./Members.ts"
export {
  MemberRole,
  PERMISSION_NAMES,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  roleAllows,
  rolesWith,
  scopeOf,
  scopesAllow,
  scopesWithin
} from "./Permissions.ts"
export {
  LEAST_LIMIT,
  LIMIT_NAMES,
  limitsOf,
  PlanLimits,
  PlanName,
  PlanOverrides,
  StoredPlanOverrides,
  soundOverrides
} from "./Plan.ts"
export { RateBuckets, type RateUsage } from "./RateBuckets.ts"
export {
  restrictedTime,
  restrictingCountry,
  restrictingText,
  restriction,
  restrictions
} from "./Restriction.ts"
export { AS_PLANNED, RetentionHold, RetentionSettings } from "./RetentionSettings.ts"
export {
  effectiveRetention,
  MAX_RETENTION_DAYS,
  type PendingRetention,
  pendingRetention,
  RETENTION_DELAY,
  retentionStart,
  TooManyDeparted
} from "./RetentionWindow.ts"
export { TokenSigner } from "./TokenSigner.ts"
export { secondsToNextMonth, Usage } from "./Usage.ts"
export { isTrusted, ViewerKey, ViewerKeys } from "./ViewerKeys.ts"
export { ViewerSettings, ViewerSettingsInput } from "./ViewerSettings.ts"
export { type AskedToken, VIEWER_TTL, type Viewer, ViewerTokenRefused, ViewerTokens } from "./ViewerTokens.ts"
export {
  type AdmitAmong,
  CollectionFull,
  type CollectionItem,
  type WorkspaceCollection
} from "./WorkspaceCollection.ts"
export { WorkspaceSettings } from "./WorkspaceSettings.ts"
