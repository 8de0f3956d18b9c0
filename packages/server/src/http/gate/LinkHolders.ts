/**
 * Whether a signed link still gives what it was made for: it needs no key, but it is no more than the access
 * of who has asked for it, and leads to nothing from outside the workspace's allowlist.
 */
import { ClockGuard } from "@cairn/core/log"
import { ApiKeys, hasLeft, isLiveKey, Members, roleAllows, scopesAllow } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { ApiError } from "../plumbing/ApiError.ts"
import { permissionChallenge } from "./Challenge.ts"
import type { ClientAddress } from "./ClientAddress.ts"
import { isShutOut, shutOut } from "./Guard.ts"
import { WorkspaceDirectory } from "./WorkspaceDirectory.ts"

/** What a link stands for. */
const PERMISSION = "exports:read"

/** Makes the check of a link whose signature is valid. */
export const makeLinkHolders = Effect.gen(function* () {
  const members = yield* Members
  const keys = yield* ApiKeys
  const clock = yield* ClockGuard
  const directory = yield* WorkspaceDirectory

  const mayDownload = Effect.fnUntraced(function* (workspaceId: string, id: string) {
    const now = yield* clock.reckoned
    const member = Option.getOrUndefined(yield* members.get(workspaceId, id))
    if (member !== undefined) return !hasLeft(member, now) && roleAllows(member.role, PERMISSION)
    const key = Option.getOrUndefined(yield* keys.get(workspaceId, id))
    return key !== undefined && isLiveKey(key, now) && scopesAllow(key.scopes, PERMISSION)
  })

  /** Fails unless it is good from an address; `holder` is empty for a link that was sent to a webhook. */
  return Effect.fnUntraced(function* (workspaceId: string, holder: string, address: ClientAddress) {
    const profile = yield* directory.find(workspaceId)
    if (profile === undefined || (holder !== "" && !(yield* mayDownload(workspaceId, holder)))) {
      return yield* new ApiError({
        code: "insufficient_scope",
        message: "This link was made for somebody who may not download exports any more",
        headers: permissionChallenge(PERMISSION)
      })
    }
    if (isShutOut(profile, address)) return yield* shutOut("exports", address)
  })
})
