/**
 * Country and city of an address, from MaxMind-format databases.
 *
 * @packageDocumentation
 */
export { databaseAge } from "./DatabaseAge.ts"
export { UnreadableDatabase } from "./DatabaseFile.ts"
export * as MaxmindGeoIp from "./MaxmindGeoIp.ts"
