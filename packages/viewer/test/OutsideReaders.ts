/** The page's readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */
import { hostileJson, hostileTexts, type OutsideReader } from "@cairn/testing"
import { readMetadata } from "../src/page/drawer/MetadataChanges.ts"
import { fromLocalInput, millisOf, toLocalInput } from "../src/page/locale/Moment.ts"
import { claimsOf } from "../src/page/service/ViewerToken.ts"
import { appearanceFrom, placeFrom, queryOf } from "../src/page/state/Address.ts"
import { visibleText } from "../src/page/text/VisibleText.ts"
import { readColour } from "../src/page/theme/Colour.ts"

/** As a browser reads a query: in Node's own reading each pair costs as much as there are before it. */
const parametersOf = (query: string): URLSearchParams =>
  new URLSearchParams(
    query.split("&").map((pair): [string, string] => {
      const mark = pair.indexOf("=")
      return mark < 0 ? [pair, ""] : [pair.slice(0, mark), pair.slice(mark + 1)]
    })
  )

const text = (
  name: string,
  read: (text: string) => unknown,
  ...samples: ReadonlyArray<string>
): OutsideReader<string> => ({ name, read, inputs: hostileTexts(...samples) })

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<string>> = [
  text(
    "address of the page",
    (query) => {
      const parameters = parametersOf(query)
      return [appearanceFrom(parameters), queryOf(placeFrom(parameters), parameters)]
    },
    "theme=dark&locale=de&accent=%23ff0000&key=a+b&action=user.*&time=absolute",
    "key=a&"
  ),
  text("claims of a token", claimsOf, "eyJh.eyJzdWIiOiJ3In0.c2ln"),
  text("colour", readColour, "#ff0000", "#f00"),
  text(
    "moment",
    (moment) => [millisOf(moment), toLocalInput(moment), fromLocalInput(moment)],
    "2026-05-01T12:00:00.123456Z",
    "2026-05-01T12:00"
  ),
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
