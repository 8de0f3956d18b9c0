/** The list of keys. */
import { usePageClock } from "@cairn/ui/locale"
import { type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { usePages } from "../../data/Pages.ts"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { KeyName, KeyStateBadge, MadeBy } from "./KeyParts.tsx"
import { keysTexts } from "./KeysTexts.ts"
import { stateOf } from "./Purposes.ts"
import { RevokeKey } from "./RevokeKey.tsx"
import { useMakers } from "./useMakers.ts"

type Key = Schemas["ApiKey"]

const useColumns = (
  keys: ReadonlyArray<Key>,
  revoke: ((key: Key) => void) | undefined
): ReadonlyArray<Column<Key>> => {
  const clock = usePageClock()
  const texts = useTexts(keysTexts)
  const address = useAddress()
  const makerOf = useMakers(keys)
  return [
    {
      name: texts.name,
      cell: (key) => (
        <a href={address(`keys/${key.id}`)}>
          <KeyName of={key} />
        </a>
      )
    },
    { name: texts.key, cell: ({ prefix }) => <code>{prefix}…</code> },
    { name: texts.mayDo, cell: ({ scopes }) => scopes.map((scope) => texts.scopes[scope]).join(", ") },
    {
      name: texts.madeBy,
      cell: ({ created_by, created_at }) => (
        <>
          <MadeBy maker={makerOf(created_by)} />{" "}
          <span class="keys-when">
            <Moment at={created_at} />
          </span>
        </>
      )
    },
    { name: texts.lastUsed, cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
    { name: texts.state, cell: (key) => <KeyStateBadge of={key} /> },
    ...(revoke === undefined
      ? []
      : [
          {
            name: texts.revoke,
            unnamed: true,
            cell: (key: Key) =>
              ["active", "ending"].includes(stateOf(key, clock.now())) && (
                <button type="button" class="small" onClick={() => revoke(key)}>
                  {texts.revoke}{" "}
                  <span class="hidden">
                    <PlainText text={key.name || key.prefix} limit={60} />
                  </span>
                </button>
              )
          }
        ])
  ]
}

/** The list, and the way to a new key. */
export const KeyList = () => {
  const texts = useTexts(keysTexts)
  const { roleCannot } = useTexts(frameTexts)
  const address = useAddress()
  const [mayRead, mayWrite] = [useMay("api_keys:read"), useMay("api_keys:write")]
  const [revoking, setRevoking] = useState<Key>()
  const pages = usePages(["keys"], ({ apiKeys }, query, signal) => apiKeys.list(query, { signal }).page())
  const columns = useColumns(pages.data?.data ?? [], mayWrite ? setRevoking : undefined)
  const make = (
    <a class="button primary" href={address("keys/new")}>
      <Glyph name="plus" /> {texts.make}
    </a>
  )
  return (
    <>
      <PageHead page="keys" hint={mayWrite || !mayRead ? texts.hint : `${texts.hint} ${roleCannot}`}>
        {mayWrite ? make : undefined}
      </PageHead>
      <div class="keys-list">
        <ListFrame
          label={texts.list}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={texts.none}
          emptyHint={mayWrite ? texts.noneHint : roleCannot}
          emptyAction={mayWrite ? <p>{make}</p> : undefined}
        />
      </div>
      {revoking !== undefined && <RevokeKey of={revoking} close={() => setRevoking(undefined)} />}
    </>
  )
}
