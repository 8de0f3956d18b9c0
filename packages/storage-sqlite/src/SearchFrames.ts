/** Whether the search index has the words of the events of each log, see `FrameCheck`. */
import type { StoreDamage } from "@cairn/core/verification"
import { checkFrames, frameRows } from "@cairn/storage-sql"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { siblingFile } from "./SiblingFile.ts"
import { make } from "./SqliteClient.ts"

/** Looks, half a second apart: between the commits of a removal to the two files are milliseconds. */
const LOOKS = 5

/** Compares frames of the index with the log in a file, through connections that cannot write. */
export const checkSearch = Effect.fnUntraced(
  function* (filename: string) {
    const log = yield* make({ filename, readonly: true })
    const search = yield* make({ filename: siblingFile(filename, "search"), readonly: true })
    const { damages } = yield* checkFrames({ log, store: frameRows(search), looks: LOOKS })
    return damages.map((what): StoreDamage => ({ where: "the search index", what }))
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
