/**
 * The file with the set-up link, which is as good as the link: nobody else may read it, and it is where its
 * name says.
 *
 * It is written under another name, which is created exclusively, with the mode 0600, and takes its name when
 * it is complete. So a link that somebody has planted there is replaced and not followed, what had wider
 * permissions is another file, and no reader finds half of it. A file that holds something else than a set-up
 * link is left as it is, and so is a link to what is no regular file: `/dev/stdout` is one that every program
 * needs. Nothing is written under `/dev` and `/proc`.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { makeFolderOf } from "@cairn/storage-sqlite"
import { Context, Data, Effect, Layer } from "effect"

/** The file cannot be what it should be. Its message holds nothing of what is in it. */
export class SetupLinkFileUnusable extends Data.TaggedError("SetupLinkFileUnusable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `the file ${this.file} cannot be used: ${this.reason}`
  }
}

/** What the file holds: one line. */
const CONTENT = /^https?:\/\/[^\s?#]+\/set-up\?token=([A-Za-z0-9_-]{43})\n?$/

/** More than the longest address has. */
const LONGEST = 8_192

/** The address of the page that a set-up link opens. */
export const setupAddress = (baseUrl: string, secret: string): string => `${baseUrl}/set-up?token=${secret}`

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)

/** What is there: nothing, a link to elsewhere, a set-up link by its secret, or the reason to leave it. */
type Found =
  | { readonly kind: "nothing" | "symbolic_link" }
  | { readonly kind: "setup_link"; readonly secret: string | null }
  | { readonly kind: "other"; readonly reason: string }

const other = (reason: string): Found => ({ kind: "other", reason })

const readOpened = (descriptor: number): Found => {
  const stats = fstatSync(descriptor)
  if (!stats.isFile()) return other("it is no file")
  const text = stats.size > LONGEST ? undefined : readFileSync(descriptor, "utf8")
  // Created by hand, or left by a full disk.
  if (text === "") return { kind: "setup_link", secret: null }
  const secret = text === undefined ? undefined : CONTENT.exec(text)?.[1]
  return secret === undefined
    ? other("it holds something else, and is left as it is")
    : { kind: "setup_link", secret }
}

/** Where names stand for devices and processes. */
const SYSTEM_FOLDERS = ["/dev", "/proc"] as const

/** Where a path leads, as far as it leads anywhere; the path itself otherwise. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Which of these folders a path lies in, by its name or by where it leads; undefined for none. */
const folderAmong = (folders: ReadonlyArray<string>, path: string): string | undefined =>
  folders.find((folder) => path === folder || path.startsWith(`${folder}${sep}`))

/** Why a file may not be where its path says; undefined if it may. */
const placeFault = (file: string, systemFolders: ReadonlyArray<string>): string | undefined => {
  const places = [file, join(realPath(dirname(file)), basename(file)), realPath(file)]
  for (const place of places) {
    const folder = folderAmong(systemFolders, place)
    if (folder !== undefined) return `it is in ${folder}, or leads there, where there are no files`
  }
  return undefined
}

/** What a symbolic link leads to decides whether it is replaced. */
const findLink = (file: string): Found => {
  const target = statSync(file, { throwIfNoEntry: false })
  return target === undefined || target.isFile()
    ? { kind: "symbolic_link" }
    : other("it is a link to what is no regular file, and is left as it is")
}

/** Looks at what is there, without following a link and without waiting for a pipe. */
const find = (file: string, systemFolders: ReadonlyArray<string>): Found => {
  const fault = placeFault(file, systemFolders)
  if (fault !== undefined) return other(fault)
  let descriptor: number
  try {
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT") return { kind: "nothing" }
    return code === "ELOOP" ? findLink(file) : other(code)
  }
  try {
    return readOpened(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const writeNew = (draft: string, text: string): void => {
  const descriptor = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    fchmodSync(descriptor, 0o600)
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const put = (file: string, text: string): void => {
  // A process of the same number may have died on it.
  const draft = `${file}.${process.pid}`
  rmSync(draft, { force: true })
  try {
    writeNew(draft, text)
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, SetupLinkFileUnusable> =>
  Effect.try({ try: run, catch: (error) => new SetupLinkFileUnusable({ file, reason: codeOf(error) }) })

const makeFile = (file: string, systemFolders: ReadonlyArray<string>) => {
  const found = Effect.flatMap(
    attempt(file, () => find(file, systemFolders)),
    (there) =>
      there.kind === "other"
        ? Effect.fail(new SetupLinkFileUnusable({ file, reason: there.reason }))
        : Effect.succeed(there)
  )
  return {
    /** The absolute path. */
    path: file,
    /** The secret of the link that an earlier start has written; null if there is none. */
    former: Effect.map(found, (there) => (there.kind === "setup_link" ? there.secret : null)),
    /** Puts a line in place of what is there. */
    write: Effect.fnUntraced(function* (line: string) {
      yield* found
      yield* Effect.mapError(
        makeFolderOf(file),
        ({ cause }) => new SetupLinkFileUnusable({ file, reason: codeOf(cause) })
      )
      yield* attempt(file, () => put(file, `${line}\n`))
    }),
    /** Removes what an earlier start has written, if there is anything. */
    remove: Effect.flatMap(found, ({ kind }) =>
      kind === "setup_link" ? attempt(file, () => rmSync(file, { force: true })) : Effect.void
    )
  }
}

/** The file; null where the service makes no set-up links. */
export class SetupLinkFile extends Context.Service<SetupLinkFile, ReturnType<typeof makeFile> | null>()(
  "@cairn/server/SetupLinkFile"
) {
  /** The file of this path; null for none. It may not be in any of the system's folders. */
  static readonly layer = (file: string | null, systemFolders: ReadonlyArray<string> = SYSTEM_FOLDERS) =>
    Layer.sync(SetupLinkFile, () => (file === null ? null : makeFile(resolve(file), systemFolders)))
}
