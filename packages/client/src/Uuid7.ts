const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

/**
 * A new UUIDv7 (RFC 9562) for a moment in milliseconds since 1970: 48 bits of time, then 74 random bits. Not
 * by `crypto.randomUUID`, which browsers have on https and on localhost only.
 */
export const uuid7 = (millis: number): string => {
  const time = hex(Math.max(0, Math.floor(millis)), 12)
  const [one = 0, two = 0, three = 0] = crypto.getRandomValues(new Uint32Array(3))
  const random = hex(one, 8) + hex(two, 8)
  const variant = hex(0x8000 | (three & 0x3fff), 4)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}-${random.slice(3, 15)}`
}
