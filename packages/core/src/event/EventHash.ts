/**
 * Hash format, version 1 (docs/HashFormat.md). It has two levels, so that a content can be removed and the
 * chain and every anchor over it can still be verified.
 *
 * ```
 * content_hash = SHA-256("cairn.content.v1\n" ‖ salt ‖ "\n" ‖ content)
 * header       = JCS({content_hash, created_at, id, previous_event_hash, sequence, v: 1, workspace_id})
 * event_hash   = SHA-256("cairn.event.v1\n" ‖ header)
 * ```
 */
import { canonicalString, canonicalStringOrNull } from "../encoding/CanonicalJson.ts"
import * as Micros from "../encoding/Micros.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

/** What the event hash commits to, in addition to the content. */
export interface EventHeader {
  /** 64 lower-case hexadecimal characters. */
  readonly contentHash: string
  /**
   * Or its text in the stored spelling: before the year 1684 and after 2255 a number cannot hold every
   * microsecond.
   */
  readonly createdAt: Micros.Micros | string
  readonly id: string
  /** Null for the first event of the chain. */
  readonly previousEventHash: string | null
  /** 1 for the first event of the chain. */
  readonly sequence: number
  readonly workspaceId: string
}

/** Bytes of a salt. Without a salt, a removed content could be guessed from its hash. */
export const SALT_BYTES = 16

/** The hash of a content. `salt` is 32 lower-case hexadecimal characters, `content` canonical JSON. */
export const contentHash = (sha256: Sha256Shape, salt: string, content: string): string =>
  sha256.hex(`cairn.content.v1\n${salt}\n${content}`)

const textOf = (createdAt: Micros.Micros | string): string =>
  typeof createdAt === "string" ? createdAt : Micros.format(createdAt)

/** The canonical JSON of a header. */
export const headerText = (header: EventHeader): string =>
  `{"content_hash":"${header.contentHash}","created_at":"${textOf(header.createdAt)}",` +
  `"id":${canonicalString(header.id)},"previous_event_hash":${canonicalStringOrNull(header.previousEventHash)},` +
  `"sequence":${header.sequence},"v":1,"workspace_id":${canonicalString(header.workspaceId)}}`

/** The hash of an event: the hash of its header, which includes the content's hash. */
export const eventHash = (sha256: Sha256Shape, header: EventHeader): string =>
  sha256.hex(`cairn.event.v1\n${headerText(header)}`)
