/**
 * The Cairn server, for those who start it from their own program; the `cairn` command does the same.
 *
 * @packageDocumentation
 */

export * from "./Serve.ts"
export * from "./settings/Configuration.ts"
