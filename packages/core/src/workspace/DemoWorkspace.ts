/**
 * The demo's own workspace. Its id is derived from when it was made, so that no other workspace is taken for
 * it, whatever its name.
 */
import type { Micros } from "../encoding/Micros.ts"
import { derivedUuid } from "../hashing/DerivedUuid.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { ManagedWorkspace } from "./ManagedWorkspace.ts"

/** The id of a demo's workspace that is made at this time. */
export const demoWorkspaceId = (sha256: Sha256Shape, createdAt: Micros): string =>
  `wsp_${derivedUuid(sha256, `cairn.demo.v1\n${createdAt}`)}`

/** The demo's own workspace among these; undefined if it is not. */
export const demoAmong = <Each extends Pick<ManagedWorkspace, "id" | "created_at">>(
  sha256: Sha256Shape,
  workspaces: ReadonlyArray<Each>
): Each | undefined => workspaces.find(({ id, created_at }) => id === demoWorkspaceId(sha256, created_at))
