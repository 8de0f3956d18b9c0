/**
 * `file`: lines appended to a file below the folder that the operator configured. A batch is acknowledged
 * once `fsync` has returned. A process of its own writes it (`FileAppender`), so that a hanging mount blocks
 * nothing else.
 *
 * The file is reopened for each batch, so that it can be rotated by renaming.
 */
import { join } from "node:path"
import { InvalidInput } from "@cairn/core/event"
import {
  FileDestination,
  type StreamCheckpoint,
  type StreamRecord,
  type StreamTest
} from "@cairn/core/outbound"
import { Effect, Result } from "effect"
import { sinkFailed } from "./SinkFailure.ts"
import { sinkKind } from "./SinkKind.ts"

const NOT_ALLOWED = "file is not allowed on this server; its operator can set CAIRN_STREAM_FOLDER"

export const file = sinkKind({
  type: "file",
  config: FileDestination,
  secrets: [],
  batch: { events: 1_000, size: 8_000_000, seconds: 1 },
  check: (_, { folder }) =>
    folder === null
      ? Result.fail(new InvalidInput({ path: "destination.type", reason: NOT_ALLOWED }))
      : Result.void,
  open: ({ path }, { folder, workspaceId, files }) => {
    const write = Effect.fn("FileSink.write")((records: ReadonlyArray<Pick<StreamRecord, "text">>) =>
      folder === null
        ? Effect.fail(sinkFailed(NOT_ALLOWED))
        : files.append(join(folder, workspaceId, path), records.map(({ text }) => `${text}\n`).join(""))
    )
    return Effect.succeed({
      send: write,
      sendCheckpoint: (checkpoint: StreamCheckpoint) => write([checkpoint]),
      sendTest: (test: StreamTest) =>
        Effect.as(write([test]), { accepted: true, status: null, text: `one line was appended to ${path}` })
    })
  }
})
