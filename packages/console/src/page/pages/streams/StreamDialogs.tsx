/** The dialogs that make a log stream, change it, and delete it. */
import { Confirm, Dialog } from "@cairn/ui/parts"
import { visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { TestPanel } from "../webhooks/deliveries/TestPanel.tsx"
import { isElsewhere } from "./StreamDraft.ts"
import { StreamForm } from "./StreamForm.tsx"
import type { LogStream } from "./StreamKinds.ts"
import { streamTexts } from "./StreamTexts.ts"

/** What is read again when a test was sent. */
export const ABOUT_TESTS = ["deliveries"]

/** Makes a stream, or changes one; then sends a test record to a destination that is new. */
export const StreamDialog = ({
  stream,
  close
}: {
  readonly stream?: LogStream
  readonly close: () => void
}) => {
  const texts = useTexts(streamTexts)
  const [saved, setSaved] = useState<LogStream>()
  if (saved === undefined) {
    return (
      <Dialog key="form" title={stream === undefined ? texts.add : texts.changeTitle} close={close}>
        <StreamForm
          {...(stream === undefined ? {} : { stream })}
          saved={(now) => (stream !== undefined && !isElsewhere(stream, now) ? close() : setSaved(now))}
          close={close}
        />
      </Dialog>
    )
  }
  return (
    <Dialog key="saved" title={stream === undefined ? texts.madeTitle : texts.savedTitle} close={close}>
      <section class="stream-test">
        <h3>{texts.testHeading}</h3>
        <TestPanel about={ABOUT_TESTS} send={(calls) => calls.logStreams.test(saved.id)} close={close} />
      </section>
    </Dialog>
  )
}

/** Asks for its name, and deletes it; `removed` leads away from its page. */
export const RemoveDialog = ({
  stream,
  close,
  removed
}: {
  readonly stream: LogStream
  readonly close: () => void
  readonly removed: () => void
}) => {
  const texts = useTexts(streamTexts)
  // Its own page, which it has no longer, is not read again.
  const remove = useChange(["streams"], (calls) => calls.logStreams.delete(stream.id), removed)
  return (
    <Confirm
      title={texts.removeTitle(visibleText(stream.name, 60))}
      action={texts.remove}
      name={stream.name}
      dangerous
      busy={remove.isRunning}
      error={<ChangeFault fault={remove.fault} />}
      confirm={() => remove.run({})}
      close={close}
    >
      <p>{texts.removeText}</p>
    </Confirm>
  )
}
