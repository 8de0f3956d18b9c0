/**
 * Cairn's HTTP contract: endpoints, schemas, errors, and what derives from them.
 *
 * @packageDocumentation
 */
export * from "./Api.ts"
export * from "./Client.ts"
export * from "./ErrorCode.ts"
export * from "./Management.ts"
export * from "./OpenApiDocument.ts"
