/** Which page the viewer stands in a frame of. */

/**
 * The origin of the page around, as it says itself; undefined for what is none. Messages go to a page of this
 * origin alone, so that a page that lies about it hears nothing.
 */
export const originFrom = (parameters: URLSearchParams): string | undefined => {
  const text = parameters.get("origin") ?? ""
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text ? text : undefined
}
