/**
 * Members of a body that narrow what is given away. Each is given or left out: `null` and what is empty are
 * refused, so that an id that the caller did not have does not lift the restriction that it meant.
 */
import { Schema } from "effect"

const schema = Schema.String.check(Schema.isMinLength(1))

/** A restriction to one text. */
export const restriction = (description: string) => Schema.optionalKey(schema.annotate({ description }))
