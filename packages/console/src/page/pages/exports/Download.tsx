/** The button that downloads an export's file. */
import { usePageClock } from "@cairn/ui/locale"
import { Glyph } from "@cairn/ui/parts"
import { useChange } from "../../data/Read.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { type Export, fileAddress, stateOf } from "./Export.ts"
import { exportTexts } from "./ExportTexts.ts"

/** The button; nothing where there is no file. */
export const Download = ({ of, small = false }: { readonly of: Export; readonly small?: boolean }) => {
  const clock = usePageClock()
  const texts = useTexts(exportTexts)
  const download = useChange(
    [],
    (calls) => fileAddress(calls, of),
    // The answer is an attachment: the page stays.
    (address) => location.assign(address)
  )
  if (stateOf(of, clock.now()) !== "completed") return null
  return (
    <>
      <button
        type="button"
        class={small ? "small" : "primary"}
        disabled={download.isRunning}
        onClick={() => download.run({})}
      >
        <Glyph name="download" /> {texts.download}
      </button>
      <ChangeFault fault={download.fault} />
    </>
  )
}
