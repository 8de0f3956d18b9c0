/**
 * docs/HashFormat.md written down as it stands, to hold the real code against: Node's own SHA-256 over plain
 * strings, and nothing of the core.
 */
import { createHash } from "node:crypto"
import { MTH } from "./NaiveMerkleTree.ts"

/** What `printf … | sha256sum` prints. */
const sha256sum = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

/** The hash of a content under its salt. */
export const contentHashOf = (salt: string, content: string): string =>
  sha256sum(`cairn.content.v1\n${salt}\n${content}`)

/** The members of a header that differ from event to event. None of them needs an escape in JSON. */
export interface PlainHeader {
  readonly content_hash: string
  readonly created_at: string
  readonly id: string
  readonly previous_event_hash: string | null
  readonly sequence: number
  readonly workspace_id: string
}

/** The text of a header. */
export const headerOf = (header: PlainHeader): string => {
  const previous = header.previous_event_hash === null ? "null" : `"${header.previous_event_hash}"`
  return (
    `{"content_hash":"${header.content_hash}","created_at":"${header.created_at}","id":"${header.id}",` +
    `"previous_event_hash":${previous},"sequence":${header.sequence},"v":1,"workspace_id":"${header.workspace_id}"}`
  )
}

/** The hash of an event. */
export const eventHashOf = (header: PlainHeader): string => sha256sum(`cairn.event.v1\n${headerOf(header)}`)

/** The Merkle root over these event hashes. */
export const rootOf = (eventHashes: ReadonlyArray<string>): string =>
  Buffer.from(MTH(eventHashes.map((hash) => Uint8Array.from(Buffer.from(hash, "hex"))))).toString("hex")

/** 32 characters that look random and are the same each time. */
export const saltOf = (name: string): string => sha256sum(`salt ${name}`).slice(0, 32)

/** A version 4 UUID that looks random and is the same each time. */
export const uuidOf = (name: string): string => {
  const hex = sha256sum(`id ${name}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
