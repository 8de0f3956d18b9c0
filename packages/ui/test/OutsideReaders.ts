/** The readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */
import { hostileJson, hostileTexts, type OutsideReader } from "@cairn/testing"
import { en } from "../src/locale/en.ts"
import { fromLocalInput, millisOf, toLocalInput } from "../src/locale/Moment.ts"
import { readMetadata } from "../src/log/drawer/MetadataChanges.ts"
import { entryOf, termsOf } from "../src/log/filter/Entry.ts"
import { FIELD_NAMES } from "../src/log/filter/Fields.ts"
import { beginningOf, edgeOf } from "../src/log/filter/period/Calendar.ts"
import { starNote } from "../src/log/filter/StarNote.ts"
import { readAction } from "../src/log/sentence/Verbs.ts"
import { hitsIn } from "../src/text/Hits.ts"
import { visibleText } from "../src/text/VisibleText.ts"
import { readColour } from "../src/theme/Colour.ts"

const text = (
  name: string,
  read: (text: string) => unknown,
  ...samples: ReadonlyArray<string>
): OutsideReader<string> => ({ name, read, inputs: hostileTexts(...samples) })

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<string>> = [
  text("colour", readColour, "#ff0000", "#f00"),
  text(
    "moment",
    (moment) => [millisOf(moment), toLocalInput(moment), fromLocalInput(moment)],
    "2026-05-01T12:00:00.123456Z",
    "2026-05-01T12:00"
  ),
  text("action", readAction, "user.password.changed", "aB", "a_", "A-b:", "."),
  text("text of an event", (shown) => visibleText(shown), "a\u202eb", "\u200b"),
  text("text with hits", (shown) => hitsIn(shown, ["ada", "a.b"]), "ada a.b ada"),
  text(
    "what is typed to filter",
    (typed) => [entryOf(typed, FIELD_NAMES, en.filter.fields), termsOf(typed), starNote("action", typed)],
    "actor: ada",
    'ada "ada lovelace" *.b'
  ),
  text(
    "end of a period",
    (moment) => [edgeOf(moment, "local", ""), beginningOf({ date: moment, time: moment }, "utc")],
    "2026-05-01T12:00:00.123456Z",
    "2026-05-01"
  ),
  {
    name: "changes in metadata",
    read: (json) => readMetadata({ changes: JSON.parse(json) as unknown }),
    inputs: {
      ...hostileJson(),
      ...hostileJson((value) => `{"before":{"a":${value}},"after":{"a":[${value}]}}`),
      "many fields that differ": (length) => {
        const fields = (value: number) =>
          Array.from({ length: Math.ceil(length / 20) }, (_, index) => `"f${index}":${value}`).join(",")
        return `{"before":{${fields(1)}},"after":{${fields(2)}}}`
      },
      "many changes": (length) =>
        `[${Array.from({ length: Math.ceil(length / 40) }, (_, index) => `{"field":"f${index}","from":1,"to":2}`).join(",")}]`
    }
  }
]
