/** The form that makes a webhook or changes one. */
import { CheckField, TextField, usePartsTexts } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useFirstFault } from "../../frame/FirstFault.ts"
import { useTexts } from "../../locale/Texts.ts"
import { bodyOf, draftOf, MESSAGE_TYPES, type Webhook, type WebhookDraft } from "./Webhook.ts"
import { webhookTexts } from "./WebhookTexts.ts"

/** A webhook that was saved; with its secret if it is new. */
export type SavedWebhook = Webhook & { readonly secret?: string }

const TypeChoice = ({
  types,
  change,
  error
}: {
  readonly types: WebhookDraft["types"]
  readonly change: (types: WebhookDraft["types"]) => void
  readonly error: string | undefined
}) => {
  const texts = useTexts(webhookTexts)
  return (
    <fieldset>
      <legend>{texts.gets}</legend>
      {MESSAGE_TYPES.map((type) => (
        <CheckField
          key={type}
          label={
            <>
              {texts.types[type]} <code class="muted">{type}</code>
            </>
          }
          value={types.includes(type)}
          change={(chosen) =>
            change(MESSAGE_TYPES.filter((other) => (other === type ? chosen : types.includes(other))))
          }
        />
      ))}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}

/** The form; without `webhook` it makes one. */
export const WebhookForm = ({
  webhook,
  saved,
  close
}: {
  readonly webhook?: Webhook
  readonly saved: (webhook: SavedWebhook) => void
  readonly close: () => void
}) => {
  const texts = useTexts(webhookTexts)
  const parts = usePartsTexts()
  const [draft, setDraft] = useState(() => draftOf(webhook))
  const [noTypes, setNoTypes] = useState(false)
  const save = useChange(
    ["webhooks", "webhook"],
    (calls, body: ReturnType<typeof bodyOf>): Promise<{ readonly data: SavedWebhook }> =>
      webhook === undefined ? calls.webhooks.create(body) : calls.webhooks.update(webhook.id, body),
    ({ data }) => saved(data)
  )
  const form = useFirstFault(save.fault)
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        setNoTypes(draft.types.length === 0)
        if (draft.types.length > 0) save.run(bodyOf(draft))
      }}
    >
      <TextField
        label={texts.address}
        hint={texts.addressHint}
        error={fieldFault(save.fault, "url")}
        required
        type="url"
        placeholder="https://"
        value={draft.url}
        change={(url) => setDraft({ ...draft, url })}
      />
      <TextField
        label={texts.description}
        hint={texts.descriptionHint}
        error={fieldFault(save.fault, "description")}
        value={draft.description}
        change={(description) => setDraft({ ...draft, description })}
      />
      <TypeChoice
        types={draft.types}
        change={(types) => setDraft({ ...draft, types })}
        error={noTypes && draft.types.length === 0 ? texts.noTypes : fieldFault(save.fault, "types")}
      />
      <ChangeFault fault={save.fault} />
      <div class="form-actions">
        <button type="button" onClick={close}>
          {parts.cancel}
        </button>
        <button type="submit" class="primary" disabled={save.isRunning}>
          {webhook === undefined ? texts.add : texts.save}
        </button>
      </div>
    </form>
  )
}
