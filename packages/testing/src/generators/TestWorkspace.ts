/** A newly created workspace. */
import { AS_PLANNED, type ManagedWorkspace } from "@cairn/core/workspace"

/** On the plan without limits and without settings, except those that a test gives. */
export const testWorkspace = (
  fields: Pick<ManagedWorkspace, "id"> & Partial<ManagedWorkspace>
): ManagedWorkspace => ({
  name: "Test",
  plan: "enterprise",
  overrides: {},
  retention: AS_PLANNED,
  ip_allowlist: [],
  viewer_frame_ancestors: null,
  anchor_schedule: null,
  unknown_fields: "reject",
  key_access_events: false,
  viewer: null,
  log_origin: null,
  closed_at: null,
  created_at: 1,
  ...fields
})
