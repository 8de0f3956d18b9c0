/**
 * Addresses that messages go to, for those who may read where that is and not send anything there: what
 * follows the host may be a secret, as with incoming webhooks of chat services.
 */

/** A URL's origin; `***` stands for the rest. What is no URL is not shown at all. */
const originOf = (url: string): string => {
  const { origin, href } = URL.canParse(url) ? new URL(url) : { origin: "", href: url }
  return href === `${origin}/` ? url : `${origin}/***`
}

/** The `url` of a webhook or a destination, whole for those who may change it. */
export const shownAddress = <A extends object>(addressed: A, mayChange: boolean): A =>
  mayChange || !("url" in addressed) || typeof addressed.url !== "string"
    ? addressed
    : { ...addressed, url: originOf(addressed.url) }
