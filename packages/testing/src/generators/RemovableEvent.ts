/** An event that can be searched for byte by byte after it was removed. */
import type { EventInput } from "@cairn/core/event"

/** Text that only a removed content contains. It is lower case, so that folding does not change it. */
export const NEEDLE = "zqjxneedle"

/** An event with the needle in every place where one is possible. */
export const telling = (name: string): EventInput => {
  const text = `${NEEDLE}-${name}`
  return {
    actor_id: text,
    actor_name: text,
    actor_type: text,
    action: `${text}.done`,
    action_category: text,
    resource: text,
    resource_id: text,
    resource_name: text,
    tenant_id: text,
    session_id: text,
    idempotency_key: text,
    metadata: { [text]: { deep: [text.repeat(1_000)] } },
    targets: [{ type: text, id: text, name: text, metadata: { text } }]
  }
}
