/** The form that makes a log stream or changes one. */
import { NumberField, SelectField, TextField, usePartsTexts } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import type { Fault } from "../../data/Fault.ts"
import { useChange } from "../../data/Read.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useFirstFault } from "../../frame/FirstFault.ts"
import { useTexts } from "../../locale/Texts.ts"
import { DestinationFields } from "./DestinationFields.tsx"
import { destinationTexts } from "./DestinationTexts.ts"
import { changeOf, creationOf, draftOf, newDraft, type StreamDraft, withKind } from "./StreamDraft.ts"
import { FORMATS, KINDS, type LogStream, takesCheckpoints } from "./StreamKinds.ts"
import { streamTexts } from "./StreamTexts.ts"

interface PartProps {
  readonly draft: StreamDraft
  readonly change: (draft: StreamDraft) => void
  readonly fault: Fault | undefined
  readonly stream: LogStream | undefined
}

/** Which events are sent, and where it begins. */
const Selection = ({ draft, change, fault, stream }: PartProps) => {
  const texts = useTexts(streamTexts)
  const hasAction = stream !== undefined && stream.action !== null
  const hasTenant = stream !== undefined && stream.tenant_id !== null
  return (
    <fieldset>
      <legend>{texts.which}</legend>
      <div class="stream-pair">
        <TextField
          label={texts.action}
          hint={hasAction ? texts.notLifted : texts.actionHint}
          error={fieldFault(fault, "action")}
          required={hasAction}
          value={draft.action}
          change={(action) => change({ ...draft, action })}
        />
        <TextField
          label={texts.tenant}
          hint={hasTenant ? texts.notLifted : texts.tenantHint}
          error={fieldFault(fault, "tenant_id")}
          required={hasTenant}
          value={draft.tenantId}
          change={(tenantId) => change({ ...draft, tenantId })}
        />
      </div>
      {stream === undefined && (
        <SelectField
          label={texts.start}
          error={fieldFault(fault, "start")}
          value={draft.start}
          change={(start) => change({ ...draft, start })}
          options={[
            ["now", texts.starts.now],
            ["beginning", texts.starts.beginning]
          ]}
        />
      )}
    </fieldset>
  )
}

/** What most leave as it is. */
const Batches = ({ draft, change, fault }: PartProps) => {
  const texts = useTexts(streamTexts)
  return (
    <details class="stream-more">
      <summary>{texts.more}</summary>
      <div class="form">
        <div class="stream-pair">
          <NumberField
            label={texts.batchEvents}
            hint={texts.batchHint}
            error={fieldFault(fault, "batch_events")}
            min={1}
            max={10_000}
            value={draft.batchEvents}
            change={(batchEvents) => change({ ...draft, batchEvents })}
          />
          <NumberField
            label={texts.batchSeconds}
            hint={texts.batchHint}
            error={fieldFault(fault, "batch_seconds")}
            min={0}
            max={900}
            value={draft.batchSeconds}
            change={(batchSeconds) => change({ ...draft, batchSeconds })}
          />
        </div>
        {takesCheckpoints(draft.kind) && (
          <SelectField
            label={texts.checkpoints}
            hint={texts.checkpointHint}
            error={fieldFault(fault, "checkpoints")}
            value={draft.checkpoints}
            change={(checkpoints) => change({ ...draft, checkpoints })}
            options={[
              ["default", texts.checkpointChoices.default],
              ["yes", texts.checkpointChoices.yes],
              ["no", texts.checkpointChoices.no]
            ]}
          />
        )}
      </div>
    </details>
  )
}

/** Where it goes and how events are written. */
const Destination = ({ draft, change, fault }: PartProps) => {
  const texts = useTexts(destinationTexts)
  return (
    <>
      <SelectField
        label={texts.kind}
        hint={texts.kindHints[draft.kind]}
        error={fieldFault(fault, "destination.type") ?? fieldFault(fault, "destination")}
        value={draft.kind}
        change={(kind) => change(withKind(draft, kind))}
        options={KINDS.map((kind) => [kind, texts.kinds[kind]] as const)}
      />
      <DestinationFields draft={draft} change={change} fault={fault} />
      <SelectField
        label={texts.format}
        hint={texts.formatHints[draft.format]}
        error={fieldFault(fault, "format")}
        value={draft.format}
        change={(format) => change({ ...draft, format, isFormatChosen: true })}
        options={FORMATS.map((format) => [format, texts.formats[format]] as const)}
      />
    </>
  )
}

/** The form; without `stream` it makes one. */
export const StreamForm = ({
  stream,
  saved,
  close
}: {
  readonly stream?: LogStream
  readonly saved: (stream: LogStream) => void
  readonly close: () => void
}) => {
  const texts = useTexts(streamTexts)
  const parts = usePartsTexts()
  const [draft, setDraft] = useState(() => (stream === undefined ? newDraft : draftOf(stream)))
  const save = useChange(
    ["streams", "stream"],
    (calls, draft: StreamDraft) =>
      stream === undefined
        ? calls.logStreams.create(creationOf(draft))
        : calls.logStreams.update(stream.id, changeOf(draft)),
    ({ data }) => saved(data)
  )
  const part: PartProps = { draft, change: setDraft, fault: save.fault, stream }
  const form = useFirstFault(save.fault)
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        save.run(draft)
      }}
    >
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={fieldFault(save.fault, "name")}
        required
        value={draft.name}
        change={(name) => setDraft({ ...draft, name })}
      />
      <Destination {...part} />
      <Selection {...part} />
      <Batches {...part} />
      <ChangeFault fault={save.fault} />
      <div class="form-actions">
        <button type="button" onClick={close}>
          {parts.cancel}
        </button>
        <button type="submit" class="primary" disabled={save.isRunning}>
          {stream === undefined ? texts.add : texts.save}
        </button>
      </div>
    </form>
  )
}
