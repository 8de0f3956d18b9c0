/** Events that the service refused for good: a file of JSON lines for a person, shared by all owners. */
import { join } from "node:path"
import { CairnError } from "../Errors.ts"
import type { Refusal } from "../Prepared.ts"
import { codeOf, type SpoolFile, type SpoolFiles } from "./SpoolFiles.ts"
import { DEAD_LETTERS } from "./SpoolNames.ts"

/** An event that the service will never take as it is, or what is left of a record that was damaged. */
export interface DeadLetter {
  /** When it was refused, RFC 3339. */
  readonly time: string
  /** The event's idempotency key; `null` for a damaged record. */
  readonly key: string | null
  /** The id of the refused request in the service's log. */
  readonly request_id?: string
  /** Why; `damaged_record` for a damaged record. */
  readonly refusal: Refusal
  /** The event's body, as it was sent. */
  readonly event?: Readonly<Record<string, unknown>>
  /** The text of a damaged record. */
  readonly line?: string
}

/** What is left of a damaged record, for the dead letters. */
export const damagedLetter = (line: string, now: number): DeadLetter => ({
  time: new Date(now).toISOString(),
  key: null,
  refusal: { error: "damaged_record", message: "the record in the spool is not what was written" },
  line
})

/** A line of a file of dead letters. */
export interface DeadLetterLine {
  readonly line: string
  /** `undefined` where the line is none: torn, or not written as it should be by a person. */
  readonly letter: DeadLetter | undefined
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isLetter = (value: unknown): value is DeadLetter => {
  if (typeof value !== "object" || value === null) return false
  const { key, line, event, refusal } = value as Partial<DeadLetter>
  const isWhole = key === null ? typeof line === "string" : typeof key === "string" && isObject(event)
  return isWhole && isObject(refusal)
}

const letterOf = (line: string): DeadLetter | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isLetter(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The lines of a file; of those with the same key the last counts. */
export const deadLetterLines = (text: string): ReadonlyArray<DeadLetterLine> => {
  const lines = new Map<string, DeadLetterLine>()
  for (const line of text.split("\n")) {
    const letter = letterOf(line)
    if (line.trim() !== "") lines.set(`${letter?.key ?? `\n${line}`}`, { line, letter })
  }
  return [...lines.values()]
}

/** The letters in a file; a key that occurs twice counts once. Lines that are none are left out. */
export const readDeadLetters = (text: string): ReadonlyArray<DeadLetter> =>
  deadLetterLines(text).flatMap(({ letter }) => letter ?? [])

/** Appends to the file of dead letters. */
export class DeadLetters {
  readonly #files: SpoolFiles
  readonly #folder: string
  readonly #maxBytes: number
  #kept = 0
  #dropped = 0

  constructor(files: SpoolFiles, folder: string, maxBytes: number) {
    this.#files = files
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** Letters that were written. */
  get kept(): number {
    return this.#kept
  }

  /** Letters for which there was no room: the oldest stay. */
  get dropped(): number {
    return this.#dropped
  }

  /** Resolves once the letters are on the disk, or counted as dropped. Killed before: some may be there. */
  async append(letters: ReadonlyArray<DeadLetter>): Promise<void> {
    const lines = letters.map((letter) => JSON.stringify(letter))
    const dropped = await this.#append(lines, this.#maxBytes)
    this.#kept += letters.length - dropped
    this.#dropped += dropped
  }

  /** Resolves once lines that had left the file are back on the disk: the oldest stay, whatever the bound. */
  async putBack(lines: ReadonlyArray<string>): Promise<void> {
    await this.#append(lines, Number.POSITIVE_INFINITY)
  }

  /** How many lines there was no room for. */
  async #append(lines: ReadonlyArray<string>, maxBytes: number): Promise<number> {
    if (lines.length === 0) return 0
    const path = join(this.#folder, DEAD_LETTERS)
    // A process that puts letters back renames the file, which may be the one that is written to just now.
    for (let tries = 0; tries < 5; tries++) {
      const file = await this.#open(path)
      try {
        const dropped = await this.#write(file, lines, maxBytes)
        const { identity } = await file.stat()
        const found = await this.#files.stat(path).catch(() => undefined)
        if (found?.identity === identity) return dropped
      } finally {
        await file.close()
      }
    }
    throw new CairnError(`${path} is removed again and again`)
  }

  async #open(path: string): Promise<SpoolFile> {
    try {
      return await this.#files.open(path)
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error
    }
    try {
      return await this.#files.create(path)
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
    }
    return this.#files.open(path)
  }

  async #write(file: SpoolFile, lines: ReadonlyArray<string>, maxBytes: number): Promise<number> {
    const { size } = await file.stat()
    const fitting: Array<Buffer> = (await file.endsInNewline()) ? [] : [Buffer.from("\n")]
    let bytes = size
    let dropped = 0
    for (const text of lines) {
      const line = Buffer.from(`${text}\n`)
      if (bytes + line.length > maxBytes) {
        dropped++
        continue
      }
      bytes += line.length
      fitting.push(line)
    }
    await file.write(Buffer.concat(fitting))
    await file.datasync()
    await this.#files.syncFolder(this.#folder)
    return dropped
  }
}
