/** The schemas of the interface, without what needs a browser, for modules that only compute. */
import type { components } from "@cairn/client/session"

/** The schemas of the interface, by name. */
export type Schemas = components["schemas"]

/** Something that a role may do. */
export type Permission = Schemas["Membership"]["permissions"][number]
