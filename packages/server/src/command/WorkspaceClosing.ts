/** `cairn workspace export-and-close` */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream, existsSync } from "node:fs"
import { link, open, rename, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { CheckpointSigner, LogCheckpoints } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { Acceptance, EventLog, Sequencer } from "@cairn/core/log"
import { bodyOfChange, COMMAND_LINE, onceKey } from "@cairn/core/management"
import { parseVerifierKey } from "@cairn/core/note"
import {
  type ManagedWorkspace,
  ManagedWorkspaces,
  type PendingRetention,
  pendingRetention
} from "@cairn/core/workspace"
import { openScratch } from "@cairn/storage-sqlite"
import type { Report } from "@cairn/verifier"
import { Effect, Result, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { codeOf } from "../doctor/Machine.ts"
import { layerClosing } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { chainSettingsFor } from "../settings/AnchorSettings.ts"
import { checkCanAsk, consent, consentFlags } from "./Consent.ts"
import { evidenceFile } from "./EvidenceFile.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, findWorkspace, json, print } from "./Shared.ts"

/** How often the bundle is written again because the log has grown meanwhile. */
const ATTEMPTS = 5

const attempt = <A>(task: () => Promise<A>) =>
  Effect.tryPromise({
    try: task,
    catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
  })

/** From then on nothing is accepted; what was before is in the inbox. */
const mark = Effect.fnUntraced(function* (workspaceId: string) {
  const now = yield* Micros.now
  const { closed_at } = yield* (yield* ManagedWorkspaces).close(workspaceId, now)
  return closed_at ?? now
})

/** The last event of the log says that it ends. */
const recordEnd = Effect.fnUntraced(function* ({ id, name }: ManagedWorkspace, closedAt: Micros.Micros) {
  const action = "cairn.workspace.closed"
  yield* (yield* Acceptance).own(
    { workspaceId: id, clientAddress: null, keysExpireBefore: null, isCounted: false, intoClosed: true },
    bodyOfChange(COMMAND_LINE, {
      action,
      resource: { type: "workspace", id, name },
      metadata: { closed_at: Micros.format(closedAt) },
      idempotencyKey: onceKey(action, id)
    })
  )
})

/** Loads the offline verifier, only where it is used: the server is this program too. */
const verifier = Effect.promise(() => import("@cairn/verifier"))

/** What is wrong with a bundle that is not intact. */
const wrongWith = ({ verdict, failed }: Pick<Report, "verdict" | "failed">): string => {
  if (verdict === "unreadable") return "it cannot be read again"
  return verdict === "unproven" ? "no key of this service has signed it" : JSON.stringify(failed)
}

/** Checks a bundle as an auditor does, who has every public key that the service has had. */
export const verifyBundle = Effect.fnUntraced(function* (file: string) {
  const { layerTools, verifyEvidence } = yield* verifier
  const sha256 = yield* Sha256
  const trustedKeys = (yield* (yield* CheckpointSigner).list).flatMap(({ verifierKey }) =>
    Result.match(parseVerifierKey(sha256, verifierKey), { onFailure: () => [], onSuccess: (key) => [key] })
  )
  const hash = createHash("sha256")
  const bytes = Stream.fromAsyncIterable(createReadStream(file), (cause) => new Error(String(cause))).pipe(
    Stream.map((chunk: Uint8Array) => {
      hash.update(chunk)
      return chunk
    })
  )
  const report = yield* verifyEvidence(bytes, { trustedKeys, anyKey: true }).pipe(Effect.provide(layerTools))
  if (report.verdict !== "intact")
    return yield* new CommandFailed({
      message: `the bundle does not hold: ${wrongWith(report)}; the workspace takes no more events, and the command can be run again`,
      kind: "does_not_hold"
    })
  return { sha256: hash.digest("hex"), verdict: report.verdict, events: report.counts.events }
})

/** Signs the end of the log and writes all of it, until both are of the same end. */
const writeEnd = Effect.fnUntraced(function* (workspaceId: string, part: string) {
  const { current } = yield* LogCheckpoints
  const { head } = yield* EventLog
  const { drain } = yield* Sequencer
  for (let left = ATTEMPTS; left > 0; left--) {
    yield* drain
    const checkpoint = yield* current(workspaceId)
    const packed = yield* evidenceFile({ workspaceId })
    yield* attempt(() => pipeline(packed, createWriteStream(part, { flags: "w", mode: 0o600 })))
    yield* drain
    if ((yield* head(workspaceId)).sequence === checkpoint.size) return checkpoint
  }
  return yield* new CommandFailed({
    message:
      "the log still grows, although the workspace is closed: does a server of an earlier version run?",
    kind: "failed"
  })
})

const existing = (file: string) =>
  new CommandFailed({ message: `${file} exists already, and is not overwritten` })

/** A file system without hard links. */
const NO_LINKS = ["EPERM", "ENOTSUP", "ENOSYS"]

/** Gives a file its name, durably, and never that of another, which a process may have written meanwhile. */
const putInPlace = (part: string, file: string) =>
  attempt(async () => {
    await using handle = await open(part, "r+")
    await handle.sync()
    await link(part, file).catch((error) => {
      if (codeOf(error) === "EEXIST") throw existing(file)
      return NO_LINKS.includes(codeOf(error)) ? rename(part, file) : Promise.reject(error)
    })
    await using folder = await open(dirname(file), "r")
    await folder.sync()
    return (await stat(file)).size
  })

/** Closes a workspace for good, with the evidence of its whole log in a file. */
export const closeWorkspace = Effect.fnUntraced(function* (workspace: ManagedWorkspace, file: string) {
  const { id } = workspace
  const folder = dirname(file)
  if (!existsSync(folder)) return yield* new CommandFailed({ message: `there is no folder ${folder}` })
  // Before anything is closed for good. Each process has one of its own.
  const part = join(yield* openScratch(folder, yield* Micros.now), basename(file))
  const closedAt = yield* mark(id)
  yield* recordEnd(workspace, closedAt)
  const checkpoint = yield* writeEnd(id, part)
  const { sha256, verdict, events } = yield* verifyBundle(part)
  const bytes = yield* putInPlace(part, file)
  const closed_at = Micros.format(closedAt)
  return { workspace_id: id, closed_at, events, checkpoint: checkpoint.note, file, bytes, sha256, verdict }
}, Effect.scoped)

/** A shorter time to keep contents, which is not called off by the closing, and by no member after it. */
const pendingText = ({ from, to, at }: PendingRetention): string =>
  ` Its contents are kept for ${from === null ? "ever" : `${from} days`}, and from ${Micros.formatSeconds(at)} on for ${to} days: to call that off, now or later, cairn workspace update --retention-days.`

/** What is about to be done at `now`. */
export const planOf = (workspace: ManagedWorkspace, file: string, now: Micros.Micros) => {
  const { id, name, closed_at } = workspace
  const pending = pendingRetention(workspace, now)
  const value = {
    workspace_id: id,
    name,
    closed_at: closed_at === null ? null : Micros.format(closed_at),
    file,
    pending_retention: pending.map(({ to, at }) => ({ to_days: to, takes_effect_at: Micros.format(at) }))
  }
  const text =
    closed_at === null
      ? `The workspace ${name} (${id}) is closed for good: it takes no more events and nothing in it can be changed. Its whole log goes to ${file}.`
      : `The workspace ${name} (${id}) is closed since ${Micros.formatSeconds(closed_at)}. Its whole log goes to ${file}.`
  return { value, text: `${text}${pending.map(pendingText).join("")}` }
}

/** `cairn workspace export-and-close` */
export const exportAndClose = Command.make(
  "export-and-close",
  {
    workspace: Argument.String("workspace").pipe(Argument.withDescription("Workspace id or name")),
    to: Flag.String("to").pipe(
      Flag.withDescription("File for the evidence of the whole log, which must not exist yet")
    ),
    ...consentFlags,
    json
  },
  Effect.fn(function* (flags) {
    yield* checkCanAsk("export-and-close", flags)
    if (existsSync(flags.to)) return yield* existing(flags.to)
    const settings = yield* configuration
    const config = {
      secretKeys: yield* secretKeysFor(settings),
      chain: yield* chainSettingsFor(settings)
    }
    yield* Effect.gen(function* () {
      const workspace = yield* findWorkspace(flags.workspace)
      if (!(yield* consent(flags, planOf(workspace, flags.to, yield* Micros.now)))) return
      const closed = yield* closeWorkspace(workspace, flags.to)
      const { events, bytes, sha256, verdict } = closed
      yield* print(
        flags.json,
        closed,
        [
          `${workspace.name} (${workspace.id}) is closed. ${flags.to}: ${events} events, ${bytes} bytes, SHA-256 ${sha256}, verified offline: ${verdict}`,
          closed.checkpoint.trimEnd()
        ].join("\n")
      )
    }).pipe(Effect.provide(layerClosing(settings, config)))
  })
).pipe(
  Command.withExamples([{ command: "cairn workspace export-and-close Acme --to acme.cairn" }]),
  Command.withDescription(
    "End a workspace's log: refuse further events, sign a final checkpoint, write the evidence of the whole log to a file, and verify it. Run again, it goes on where it was interrupted"
  )
)
