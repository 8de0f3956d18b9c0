/**
 * A new UUIDv7 (RFC 9562) for a moment in milliseconds since 1970: 48 bits of time, then 74 random bits.
 * Browsers have its source of randomness on https and on localhost only.
 */
export const uuid7 = (millis: number): string => {
  const time = Math.max(0, Math.floor(millis)).toString(16).padStart(12, "0")
  // A UUIDv4 has its random bits where a UUIDv7 has them, behind the digit of the version.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
