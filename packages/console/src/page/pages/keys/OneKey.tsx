/** One key: everything about it but its secret. */
import { usePageClock } from "@cairn/ui/locale"
import { Card, Facts, Moment } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { KeyName, KeyStateBadge, MadeBy } from "./KeyParts.tsx"
import { keysTexts } from "./KeysTexts.ts"
import { stateOf } from "./Purposes.ts"
import { RevokeKey } from "./RevokeKey.tsx"
import { useMakers } from "./useMakers.ts"

const Shown = ({ of: key }: { readonly of: Schemas["ApiKey"] }) => {
  const clock = usePageClock()
  const texts = useTexts(keysTexts)
  const makerOf = useMakers()
  const mayWrite = useMay("api_keys:write")
  const [isRevoking, setRevoking] = useState(false)
  const isLive = ["active", "ending"].includes(stateOf(key, clock.now()))
  return (
    <>
      <ThingHead page="keys" title={<KeyName of={key} />}>
        {mayWrite && isLive ? (
          <button type="button" class="danger" onClick={() => setRevoking(true)}>
            {texts.revokeIt}
          </button>
        ) : undefined}
      </ThingHead>
      <Card title={texts.about}>
        <Facts
          of={[
            [texts.state, <KeyStateBadge of={key} />],
            [texts.key, <code>{key.prefix}…</code>],
            [texts.lastUsed, <Moment at={key.last_used_at} />],
            [texts.endsWhen, <Moment at={key.expires_at} exact />],
            [texts.madeBy, <MadeBy maker={makerOf(key.created_by)} />],
            [texts.madeWhen, <Moment at={key.created_at} exact />],
            [texts.revokedWhen, key.revoked_at === null ? undefined : <Moment at={key.revoked_at} exact />],
            [texts.id, <code>{key.id}</code>]
          ]}
        />
      </Card>
      <Card title={texts.mayDo}>
        <Facts of={key.scopes.map((scope) => [texts.scopes[scope], texts.scopeHints[scope]])} />
      </Card>
      {isRevoking && <RevokeKey of={key} close={() => setRevoking(false)} />}
    </>
  )
}

/** The key of an id. */
export const OneKey = ({ id }: { readonly id: string }) => (
  <Loaded
    read={useRead(["keys", id], async ({ apiKeys }, signal) => (await apiKeys.get(id, { signal })).data)}
  >
    {(key) => <Shown of={key} />}
  </Loaded>
)
