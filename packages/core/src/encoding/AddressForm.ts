/** The forms of addresses and networks as regular expressions, for readers of the OpenAPI document. */

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}`
const GROUP = "[0-9A-Fa-f]{1,4}"
const LAST_TWO = `(?:${GROUP}:${GROUP}|${IPV4})`

/**
 * RFC 3986 section 3.2.2: `::` with up to `before` groups before it, and with exactly those of `behind` after
 * it.
 */
const abbreviated = (before: number, behind: string): string =>
  `${before === 0 ? "" : `(?:(?:${GROUP}:){0,${before - 1}}${GROUP})?`}::${behind}`

const IPV6 = [
  `(?:${GROUP}:){6}${LAST_TWO}`,
  ...[5, 4, 3, 2, 1, 0].map((groups) => abbreviated(5 - groups, `(?:${GROUP}:){${groups}}${LAST_TWO}`)),
  abbreviated(6, GROUP),
  abbreviated(7, "")
].join("|")

/** An IPv4 or IPv6 address. */
export const ADDRESS_FORM: string = `^(?:${IPV4}|${IPV6})$`

/** An address, or a CIDR; that the bits after its prefix are zero, no pattern says. */
export const NETWORK_FORM: string = `^(?:${IPV4}(?:/(?:3[0-2]|[12]?[0-9]))?|(?:${IPV6})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`
