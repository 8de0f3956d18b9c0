/**
 * Submits Merkle roots to the Base blockchain, confirms them and reads them back.
 *
 * @packageDocumentation
 */
export * as BaseChain from "./BaseChain.ts"
export { MalformedPrivateKey, privateKeyFrom } from "./PrivateKey.ts"
