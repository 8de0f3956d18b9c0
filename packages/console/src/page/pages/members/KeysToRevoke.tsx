/** The API keys of a member who is removed or lowered, each with a tick for its end. */

import type { SessionCalls } from "@cairn/client/session"
import { usePageClock } from "@cairn/ui/locale"
import { CheckField, Moment } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { KeyName } from "../keys/KeyParts.tsx"
import { keysTexts } from "../keys/KeysTexts.ts"
import { keysMadeBy, mayDoMore } from "./MadeKeys.ts"
import { memberKeysTexts } from "./MemberKeysTexts.ts"
import type { RoleName } from "./Roles.ts"

type Key = Schemas["ApiKey"]

/** Keys that are read at once. */
const MOST = 100

/** What is asked about the keys of a member. */
export interface KeysAsked {
  readonly keys: ReadonlyArray<Key>
  /** The role that the member is to have; undefined for none. */
  readonly role: RoleName | undefined
  readonly isTicked: (key: Key) => boolean
  readonly tick: (key: Key, isTicked: boolean) => void
  /** Whether it is not known yet which keys there are. */
  readonly isReading: boolean
  /** Revokes what is ticked. */
  readonly revoke: (calls: SessionCalls) => Promise<void>
}

/** The keys of a member who is to have another role, or none. They are read once they are asked about. */
export const useKeysAsked = (memberId: string, role: RoleName | undefined, isAsked: boolean): KeysAsked => {
  const clock = usePageClock()
  const enabled = useMay("api_keys:read") && isAsked
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const { data, isReading } = useRead(
    ["keys", "made by", memberId],
    async ({ apiKeys }, signal) => {
      const all: Array<Key> = []
      for await (const key of apiKeys.list({ limit: MOST }, { signal })) all.push(key)
      return keysMadeBy(memberId, all, clock.now())
    },
    { enabled }
  )
  const keys = enabled ? (data ?? []) : []
  const isTicked = (key: Key) => chosen.get(key.id) ?? mayDoMore(key, role)
  return {
    keys,
    role,
    isTicked,
    tick: (key, ticked) => setChosen(new Map([...chosen, [key.id, ticked]])),
    isReading: enabled && isReading && data === undefined,
    revoke: async ({ apiKeys }) => {
      for (const key of keys) if (isTicked(key)) await apiKeys.revoke(key.id)
    }
  }
}

/** The keys, with their ticks; nothing where there are none. */
export const KeysToRevoke = ({ of: { keys, role, isTicked, tick } }: { readonly of: KeysAsked }) => {
  const texts = useTexts(memberKeysTexts)
  const names = useTexts(keysTexts)
  if (keys.length === 0) return null
  return (
    <fieldset class="members-keys">
      <legend>{texts.legend}</legend>
      <p class="hint">{role === undefined ? texts.removed : texts.lowered}</p>
      {keys.map((key) => (
        <CheckField
          key={key.id}
          label={<KeyName of={key} />}
          hint={
            <>
              {key.scopes.map((scope) => names.scopes[scope]).join(", ")}. {names.lastUsed}:{" "}
              <Moment at={key.last_used_at} />
            </>
          }
          value={isTicked(key)}
          change={(ticked) => tick(key, ticked)}
        />
      ))}
    </fieldset>
  )
}
