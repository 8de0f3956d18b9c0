/** The use cases that change a service's settings and record each change. */
export { inspectSecrets, type MissingSecretKey, type SealedKind, sealedSecrets } from "./SealedSecrets.ts"
export { SecretRotation } from "./SecretRotation.ts"
export { UsageReader } from "./UsageReader.ts"
