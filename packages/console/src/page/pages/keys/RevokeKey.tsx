/** Asks before a key is revoked. */
import { Confirm, Moment } from "@cairn/ui/parts"
import { visibleText } from "@cairn/ui/text"
import { useChange } from "../../data/Read.ts"
import type { Schemas } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { keysTexts } from "./KeysTexts.ts"

/** A name of a key that can be typed: its own, or what its secret begins with. */
const typedName = ({ name, prefix }: Schemas["ApiKey"]): string =>
  name !== null && name.trim() === name && name.length > 0 && name.length <= 40 && visibleText(name) === name
    ? name
    : prefix

/** The question. */
export const RevokeKey = ({
  of: key,
  close
}: {
  readonly of: Schemas["ApiKey"]
  readonly close: () => void
}) => {
  const texts = useTexts(keysTexts)
  const revoking = useChange(["keys"], ({ apiKeys }) => apiKeys.revoke(key.id), close)
  const name = typedName(key)
  return (
    <Confirm
      title={texts.revokeTitle(name)}
      action={texts.revokeIt}
      name={name}
      dangerous
      busy={revoking.isRunning}
      error={<ChangeFault fault={revoking.fault} />}
      confirm={() => revoking.run(undefined)}
      close={close}
    >
      <p>{texts.revokeWhat}</p>
      <ul class="keys-stops">
        {key.scopes.map((scope) => (
          <li key={scope}>{texts.scopes[scope]}</li>
        ))}
      </ul>
      <p>
        {texts.lastUsed}: <Moment at={key.last_used_at} />.{" "}
        {key.last_used_at === null ? "" : texts.revokeUsed}
      </p>
      <p class="muted">{texts.revokeStays}</p>
    </Confirm>
  )
}
