/**
 * Country and city of an address, from MaxMind-format databases.
 *
 * @packageDocumentation
 */
export * as MaxmindGeoIp from "./MaxmindGeoIp.ts"
