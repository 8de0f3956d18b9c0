/** The schemas of the interface. */
import type { components } from "@cairn/client/session"

/** The schemas, by name. */
export type Schemas = components["schemas"]
