/** Replacing the key that signs viewer tokens. */
import { Card, CheckField, Confirm } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { embeddingTexts } from "./EmbeddingTexts.ts"

/** The card; `ended` is called when older tokens have ended. */
export const KeyRotation = ({ ended }: { readonly ended: () => void }) => {
  const texts = useTexts(embeddingTexts)
  const [asking, setAsking] = useState(false)
  const [revoke, setRevoke] = useState(false)
  const [newKey, setNewKey] = useState<string>()
  const change = useChange(
    [],
    ({ workspace }, input: { readonly revoke: boolean }) => workspace.rotateViewerKey(input),
    ({ data }, input) => {
      setAsking(false)
      setNewKey(data.id)
      if (input.revoke) ended()
    }
  )
  return (
    <Card
      title={texts.key}
      hint={texts.keyHint}
      actions={
        <button
          type="button"
          onClick={() => {
            change.reset()
            setRevoke(false)
            setAsking(true)
          }}
        >
          {texts.rotate}
        </button>
      }
    >
      <p role="status">
        {newKey !== undefined && (
          <>
            {texts.rotated} <code>{newKey}</code>
          </>
        )}
      </p>
      {asking && (
        <Confirm
          title={texts.rotateTitle}
          action={texts.rotate}
          dangerous={revoke}
          busy={change.isRunning}
          error={<ChangeFault fault={change.fault} />}
          confirm={() => change.run({ revoke })}
          close={() => setAsking(false)}
        >
          <p>{texts.rotateHint}</p>
          <CheckField label={texts.revoke} hint={texts.revokeHint} value={revoke} change={setRevoke} />
        </Confirm>
      )}
    </Card>
  )
}
