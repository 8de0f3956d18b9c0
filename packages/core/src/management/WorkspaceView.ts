/** A workspace as its admins and its operator see it. */

import * as Micros from "../encoding/Micros.ts"
import { logIdOf } from "../note/LogId.ts"
import type { ManagedWorkspace } from "../workspace/ManagedWorkspace.ts"
import { limitsOf } from "../workspace/Plan.ts"
import { effectiveRetention, pendingRetention } from "../workspace/RetentionWindow.ts"
import type { WorkspaceSettings } from "../workspace/WorkspaceSettings.ts"

/** The view at a given time, which determines what is pending and how long contents are kept. */
export const workspaceView = (workspace: ManagedWorkspace, now: Micros.Micros): WorkspaceSettings => {
  const { id, name, plan, overrides, ip_allowlist, viewer_frame_ancestors, anchor_schedule } = workspace
  const [next, further] = pendingRetention(workspace, now).map(({ to, at }) => ({
    retention_days: to,
    takes_effect_at: Micros.format(at)
  }))
  return {
    id,
    name,
    log_origin: logIdOf(id, workspace.log_origin),
    plan,
    limits: limitsOf(plan, overrides),
    overrides,
    retention_days: workspace.retention.days,
    effective_retention_days: effectiveRetention(workspace, now),
    pending_retention:
      next === undefined ? null : { ...next, ...(further === undefined ? {} : { followed_by: further }) },
    ip_allowlist,
    viewer_frame_ancestors,
    anchor_schedule,
    unknown_fields: workspace.unknown_fields,
    key_access_events: workspace.key_access_events,
    viewer: workspace.viewer,
    created_at: Micros.format(workspace.created_at)
  }
}
