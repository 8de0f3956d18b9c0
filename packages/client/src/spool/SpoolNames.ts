/** The names in a spool's folder. Names of another shape are left alone: a later version may have them. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"

/** The file of dead letters. */
export const DEAD_LETTERS = "dead-letter.jsonl"

/** A name for an owner that no other has: neither process ids nor their reuse matter. */
export const newOwner = (): string => randomBytes(8).toString("hex")

/** The path of an owner's `number`th segment. */
export const segmentPath = (folder: string, owner: string, number: number): string =>
  join(folder, `${owner}-${String(number).padStart(8, "0")}.v1.log`)

/** The path of dead letters that an owner puts back. */
export const requeuePath = (folder: string, owner: string, number: number): string =>
  join(folder, `dead-letter.${owner}-${number}.requeue`)

/** A file of an owner. */
export interface OwnedFile {
  readonly owner: string
  readonly path: string
}

const owned = (folder: string, names: ReadonlyArray<string>, shape: RegExp): ReadonlyArray<OwnedFile> =>
  [...names].sort().flatMap((name) => {
    const owner = shape.exec(name)?.[1]
    return owner === undefined ? [] : [{ owner, path: join(folder, name) }]
  })

/** The segments among a folder's names, by owner, oldest first. */
export const segmentsAmong = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<OwnedFile> =>
  owned(folder, names, /^([0-9a-f]{16})-[0-9]{8}\.v1\.log$/)

/** The dead letters that are being put back, among a folder's names. */
export const requeuesAmong = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<OwnedFile> =>
  owned(folder, names, /^dead-letter\.([0-9a-f]{16})-[0-9]+\.requeue$/)

/** The lock sockets among a folder's names. */
export const locksAmong = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<OwnedFile> =>
  owned(folder, names, /^([0-9a-f]{16})\.sock$/)
