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
