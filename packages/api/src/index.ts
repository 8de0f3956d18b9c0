/**
 * Cairn's HTTP contract: endpoints, schemas, errors, and what derives from them.
 *
 * @packageDocumentation
 */

export * from "./AlertApi.ts"
export * from "./AnchorApi.ts"
export * from "./Api.ts"
export type { EndpointName, HealthEndpointName, PersonEndpointName } from "./ApiGroups.ts"
export * from "./Authorization.ts"
export * from "./Client.ts"
export { accessOf, isChange } from "./EndpointAccess.ts"
export { permissionFor } from "./EndpointPermissions.ts"
export * from "./ErrorCode.ts"
export * from "./EventApi.ts"
export * from "./EventStreamApi.ts"
export * from "./ExportApi.ts"
export * from "./HealthApi.ts"
export * from "./LogStreamApi.ts"
export * from "./Management.ts"
export * from "./ManagementApi.ts"
export * from "./MemberApi.ts"
export * from "./OpenApiDocument.ts"
export { READ_FROM_REPLICAS } from "./OpenHeaders.ts"
export { type LimitBounds, PAGE_BOUNDS } from "./Parameters.ts"
export * from "./PersonApi.ts"
export * from "./ProofApi.ts"
export * from "./SessionApi.ts"
export * from "./ViewerApi.ts"
export * from "./WebhookApi.ts"
