/** Parts of a key that several views show. */
import { usePageClock } from "@cairn/ui/locale"
import { Badge, type GlyphName, Moment, type Tone } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { keysTexts } from "./KeysTexts.ts"
import type { Maker } from "./Maker.ts"
import { type KeyState, stateOf } from "./Purposes.ts"

const TONES: Readonly<Record<KeyState, Tone>> = {
  active: "good",
  ending: "warning",
  ended: "calm",
  revoked: "calm"
}

/** What can be used no more has no picture of a pause. */
const STATE_GLYPHS = { ended: "clock", revoked: "ban" } as const satisfies Partial<
  Record<KeyState, GlyphName>
>

const glyphOf = (state: KeyState): { readonly glyph?: GlyphName } =>
  state === "ended" || state === "revoked" ? { glyph: STATE_GLYPHS[state] } : {}

/** What a key is called. */
export const KeyName = ({ of: { name } }: { readonly of: Pick<Schemas["ApiKey"], "name"> }) => {
  const texts = useTexts(keysTexts)
  return name === null || name === "" ? (
    <span class="muted">{texts.noName}</span>
  ) : (
    <PlainText text={name} limit={120} />
  )
}

/** How a key is, and since or until when. */
export const KeyStateBadge = ({ of: key }: { readonly of: Schemas["ApiKey"] }) => {
  const clock = usePageClock()
  const texts = useTexts(keysTexts)
  const state = stateOf(key, clock.now())
  const at = key.revoked_at ?? key.expires_at
  return (
    <>
      <Badge tone={TONES[state]} {...glyphOf(state)}>
        {texts.states[state]}
      </Badge>{" "}
      {at !== null && (
        <span class="keys-when">
          {state === "active" && `${texts.ends} `}
          <Moment at={at} />
        </span>
      )}
    </>
  )
}

/** Who made a key. */
export const MadeBy = ({ maker }: { readonly maker: Maker }) => {
  const texts = useTexts(keysTexts)
  const address = useAddress()
  const mayRead = useMay("members:read")
  if (maker.kind === "key") {
    return (
      <a href={address(`keys/${maker.id}`)}>
        {maker.name ? <PlainText text={maker.name} limit={60} /> : texts.makers.key}
      </a>
    )
  }
  if (maker.kind === "service") return <PlainText text={maker.name} limit={60} />
  if (maker.kind !== "member") return <>{texts.makers[maker.kind]}</>
  const name = <PlainText text={maker.name} limit={60} />
  return mayRead ? <a href={address(`members/${maker.id}`)}>{name}</a> : name
}
