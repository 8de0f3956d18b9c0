/** The readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */
import { hostileJson, hostileTexts, type OutsideReader } from "@cairn/testing"
import { fromLocalInput, millisOf, toLocalInput } from "../src/locale/Moment.ts"
import { readMetadata } from "../src/log/drawer/MetadataChanges.ts"
import { readAction } from "../src/log/sentence/Verbs.ts"
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
