/** A log stream's own page: how far it is, what went wrong, its settings, and what can be done with it. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, Facts, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange, useRead } from "../../data/Read.ts"
import { useAddress, useMay, useSession } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { Loaded } from "../../frame/Loaded.tsx"
import { OnServer } from "../../frame/OnServer.tsx"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { deliveryTexts } from "../webhooks/deliveries/DeliveryTexts.ts"
import { TestDialog } from "../webhooks/deliveries/TestPanel.tsx"
import { destinationTexts } from "./DestinationTexts.ts"
import { ABOUT_TESTS, RemoveDialog, StreamDialog } from "./StreamDialogs.tsx"
import { FIELDS, type FieldSpec, type LogStream, takesCheckpoints } from "./StreamKinds.ts"
import { Lag, lookEvery, StreamBadge } from "./StreamState.tsx"
import { streamTexts } from "./StreamTexts.ts"

type Open = "test" | "change" | "remove"

const OpenDialog = ({
  open,
  stream,
  close
}: {
  readonly open: Open | undefined
  readonly stream: LogStream
  readonly close: () => void
}) => {
  const address = useAddress()
  const { route } = useLocation()
  switch (open) {
    case "test":
      return (
        <TestDialog
          name={stream.name}
          about={ABOUT_TESTS}
          send={(calls) => calls.logStreams.test(stream.id)}
          close={close}
        />
      )
    case "change":
      return <StreamDialog stream={stream} close={close} />
    case "remove":
      return <RemoveDialog stream={stream} close={close} removed={() => route(address("streams"), true)} />
    default:
      return null
  }
}

/** Pause, resume, or turn on: whichever the stream's state allows. */
const Switch = ({ stream }: { readonly stream: LogStream }) => {
  const texts = useTexts(streamTexts)
  const act = useChange(["streams", "stream"], (calls) => {
    if (stream.status === "disabled") return calls.logStreams.update(stream.id, { enabled: true })
    return stream.status === "paused" ? calls.logStreams.resume(stream.id) : calls.logStreams.pause(stream.id)
  })
  const word = stream.status === "disabled" ? "turnOn" : stream.status === "paused" ? "resume" : "pause"
  return (
    <>
      <button type="button" disabled={act.isRunning} onClick={() => act.run({})}>
        <Glyph name={word === "pause" ? "pause" : "play"} /> {texts[word]}
      </button>
      <ChangeFault fault={act.fault} />
    </>
  )
}

const Actions = ({ stream, open }: { readonly stream: LogStream; readonly open: (which: Open) => void }) => {
  const texts = useTexts(streamTexts)
  const { test } = useTexts(deliveryTexts)
  return (
    <>
      <button type="button" class="primary" onClick={() => open("test")}>
        {test}
      </button>
      <button type="button" onClick={() => open("change")}>
        {texts.change}
      </button>
      <Switch stream={stream} />
      <button type="button" onClick={() => open("remove")}>
        {texts.remove}
      </button>
    </>
  )
}

const Progress = ({ stream, mayChange }: { readonly stream: LogStream; readonly mayChange: boolean }) => {
  const texts = useTexts(streamTexts)
  const { number } = useLanguage()
  const { membership } = useSession()
  const address = useAddress()
  return (
    <Card
      title={texts.progress}
      hint={texts.stateHints[stream.status]}
      actions={<a href={address("webhooks?channel=stream")}>{texts.tests}</a>}
    >
      <Facts
        of={[
          [texts.lag, <Lag key="lag" stream={stream} />],
          [texts.sent, number(stream.sequence)],
          [texts.lastTaken, <Moment key="taken" at={stream.last_success_at} />],
          [texts.lastError, <LastError key="error" stream={stream} />],
          [texts.sentCheckpoints, stream.checkpoint_size === 0 ? undefined : number(stream.checkpoint_size)]
        ]}
      />
      {mayChange && (
        <p class="hint stream-replay">
          {texts.replay}{" "}
          <code>
            cairn consumer replay -w {membership.workspace.id} {stream.id} --from N
          </code>{" "}
          <OnServer />
        </p>
      )}
    </Card>
  )
}

/** Why the last attempt failed; nothing after a success. */
export const LastError = ({ stream, limit }: { readonly stream: LogStream; readonly limit?: number }) => {
  const texts = useTexts(streamTexts)
  if (stream.last_error === null) return <span class="muted">{texts.noError}</span>
  return (
    <span lang="en" class="stream-error">
      <PlainText text={stream.last_error} {...(limit === undefined ? {} : { limit })} />
    </span>
  )
}

const Settings = ({ stream, mayChange }: { readonly stream: LogStream; readonly mayChange: boolean }) => {
  const texts = useTexts(streamTexts)
  const names = useTexts(destinationTexts)
  const { destination } = stream
  const members = new Map<string, unknown>(Object.entries(destination))
  const said = (control: FieldSpec["control"], value: string) => {
    if (control === "check") return names.switches[value === "true" ? "true" : "false"]
    return control === "body" ? names.bodies[value === "array" ? "array" : "ndjson"] : value
  }
  const shown = FIELDS[destination.type].flatMap(({ name, control }) => {
    const value = members.get(name)
    return value === null || value === undefined || value === ""
      ? []
      : [[names.fields[name], <PlainText key={name} text={said(control, String(value))} />] as const]
  })
  const optional = (text: string | null) =>
    text === null ? (
      <span class="muted">{texts.everything}</span>
    ) : (
      <code>
        <PlainText text={text} />
      </code>
    )
  return (
    <Card title={texts.destination} hint={mayChange ? undefined : texts.hidden}>
      <Facts
        of={[
          [names.kind, names.kinds[destination.type]],
          ...shown,
          [names.format, names.formats[stream.format]],
          [texts.action, optional(stream.action)],
          [texts.tenant, optional(stream.tenant_id)],
          [texts.batchEvents, stream.batch_events ?? texts.ownBatches],
          [texts.batchSeconds, stream.batch_seconds ?? texts.ownBatches],
          [
            texts.checkpoints,
            takesCheckpoints(destination.type)
              ? texts.checkpointChoices[
                  stream.checkpoints === null ? "default" : stream.checkpoints ? "yes" : "no"
                ]
              : undefined
          ],
          [texts.made, <Moment key="made" at={stream.created_at} />],
          [texts.changed, <Moment key="changed" at={stream.updated_at} />],
          ["Id", <code key="id">{stream.id}</code>]
        ]}
      />
    </Card>
  )
}

/** The page of the stream of an id. */
export const StreamDetail = ({ id }: { readonly id: string }) => {
  const mayChange = useMay("log_streams:write")
  const [open, setOpen] = useState<Open>()
  const read = useRead(["stream", id], (calls, signal) => calls.logStreams.get(id, { signal }), {
    every: (read) => lookEvery(read && [read.data])
  })
  const stream = read.data?.data
  return (
    <>
      <ThingHead
        page="streams"
        title={<PlainText text={stream === undefined ? id : stream.name} limit={80} />}
        state={stream !== undefined && <StreamBadge stream={stream} />}
      >
        {stream !== undefined && mayChange && <Actions stream={stream} open={setOpen} />}
      </ThingHead>
      <Loaded read={read}>
        {({ data }) => (
          <>
            <Progress stream={data} mayChange={mayChange} />
            <Settings stream={data} mayChange={mayChange} />
            <OpenDialog open={open} stream={data} close={() => setOpen(undefined)} />
          </>
        )}
      </Loaded>
    </>
  )
}
