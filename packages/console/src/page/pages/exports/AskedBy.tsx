/** Who asked for an export, by name, with the way to the member or key. */
import { usePageClock } from "@cairn/ui/locale"
import { PlainText } from "@cairn/ui/text"
import { useRead } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { type Asker, type Askers, askersEvery, askersOf } from "./Asker.ts"
import type { Export } from "./Export.ts"
import { exportTexts } from "./ExportTexts.ts"

/** Who asked for some exports, once it is known. */
export const useAskers = (exports: ReadonlyArray<Export>): Askers | undefined => {
  const clock = usePageClock()
  return useRead(
    ["exports", "askers", exports.map(({ id }) => id).join(" ")],
    (calls, signal) => askersOf(calls, exports, signal),
    {
      enabled: useMay("events:read") && exports.length > 0,
      every: (askers) => askersEvery(exports, askers, clock.now())
    }
  ).data
}

/** The name. `askers` is undefined as long as nothing is known. */
export const AskedBy = ({ id, askers }: { readonly id: string; readonly askers: Askers | undefined }) => {
  const texts = useTexts(exportTexts)
  const asker = askers?.[id]
  if (askers === undefined) return <>…</>
  return asker === undefined ? <span class="muted">{texts.askerUnknown}</span> : <AskerName of={asker} />
}

const AskerName = ({ of: { type, id, name } }: { readonly of: Asker }) => {
  const texts = useTexts(exportTexts)
  const address = useAddress()
  const seesMembers = useMay("members:read")
  const seesKeys = useMay("api_keys:read")
  const shown = <PlainText text={name || id} limit={60} />
  if (type === "member") return seesMembers ? <a href={address(`members/${id}`)}>{shown}</a> : shown
  if (type !== "api_key") return shown
  return (
    <>
      {texts.askerKey} {seesKeys ? <a href={address(`keys/${id}`)}>{shown}</a> : shown}
    </>
  )
}
