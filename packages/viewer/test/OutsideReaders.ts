/** The page's readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */
import { hostileTexts, type OutsideReader } from "@cairn/testing"
import { placeFrom } from "@cairn/ui/place"
import { subjectOf } from "../src/page/service/ViewerToken.ts"
import { appearanceFrom, queryOf } from "../src/page/state/Address.ts"

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
      return [appearanceFrom(parameters), queryOf(placeFrom(parameters, new Date(0)), parameters)]
    },
    "theme=dark&locale=de&accent=%23ff0000&key=a+b&action=user.*&time=absolute",
    "key=a&"
  ),
  text("subject of a token", subjectOf, "eyJh.eyJzdWIiOiJ3In0.c2ln")
]
