/** Event bodies whose canonical content has about 577 bytes. */
export const sampleBody = (index: number): object => ({
  actor_id: `user_${index % 500}`,
  actor_name: "Ada Lovelace",
  actor_type: "user",
  action: ["document.created", "document.updated", "document.shared", "user.signed_in"][index % 4],
  action_category: "documents",
  resource: "document",
  resource_id: `doc_${index % 2000}`,
  resource_name: "Quarterly report",
  metadata: {
    changes: { title: ["Draft", "Final"], words: [1200, 1311 + index] },
    request: `req_${index}`,
    user_agent: "Mozilla/5.0 (X11; Linux x86_64)"
  },
  session_id: `session_${index % 100}`,
  tenant_id: `tenant_${index % 20}`,
  targets: [{ type: "folder", id: `folder_${index % 50}` }],
  version: 1
})

/** A term that every tenth of {@link searchedBody} has. */
export const COMMON_TERM = "reconciliation"
/** A term that every 100,000th of them has, the first one among them. */
export const RARE_TERM = "embezzlement"

const WORDS = ["onboarding", "invoice", "payroll", "holiday", "vendor", "board", "travel"]

/**
 * One of `count` values, each as likely as another whatever the other fields of the event have (the finalizer
 * of MurmurHash3).
 */
const pick = (index: number, field: number, count: number): number => {
  let hash = Math.imul(index + field * 0x9e3779b1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % count
}

/**
 * Events for lists and searches: their fields are independent of each other, and some values select few of
 * them, others many.
 */
export const searchedBody = (index: number): object => ({
  ...sampleBody(index),
  actor_id: `user_${pick(index, 1, 500)}`,
  action: ["document.created", "document.updated", "document.shared", "user.signed_in"][pick(index, 2, 4)],
  resource: ["document", "folder", "comment", "user"][pick(index, 3, 4)],
  resource_id: `doc_${pick(index, 4, 2_000)}`,
  resource_name: `Notes on the ${index % 10 === 0 ? COMMON_TERM : WORDS[pick(index, 5, WORDS.length)]}`,
  metadata: {
    changes: { title: ["Draft", index % 100_000 === 0 ? RARE_TERM : "Final"], words: [1200, 1311 + index] },
    request: `req_${index}`,
    user_agent: "Mozilla/5.0 (X11; Linux x86_64)"
  },
  session_id: `session_${pick(index, 6, 100)}`,
  tenant_id: `tenant_${pick(index, 7, 20)}`,
  targets: [{ type: pick(index, 8, 10) === 0 ? "invoice" : "folder", id: `folder_${pick(index, 9, 50)}` }]
})
