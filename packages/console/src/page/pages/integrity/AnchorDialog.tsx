/** One anchor: what it commits to, and whether that still holds. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Dialog, Facts, Moment } from "@cairn/ui/parts"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange, useRead } from "../../data/Read.ts"
import { type Schemas, useAddress } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { ANCHOR_TONES, Transaction } from "./Anchors.tsx"
import { anchorTexts } from "./AnchorTexts.ts"

const CHAIN_TONES = {
  matches: "good",
  differs: "bad",
  unreachable: "warning",
  not_checked: "calm"
} as const

/** What a verification found, in sentences. */
const Findings = ({ found }: { readonly found: Schemas["AnchorVerification"] }) => {
  const texts = useTexts(anchorTexts)
  const { number } = useLanguage()
  const { valid, chain_valid, events_count, on_chain, expected, actual } = found
  return (
    <ul class="plain integrity-sentences">
      <li>
        <Badge tone={valid ? "good" : "bad"}>
          {valid ? texts.valid(events_count, number(events_count)) : texts.invalid}
        </Badge>
        {expected !== actual && (
          <Facts
            of={[
              [texts.expected, <code>{expected}</code>],
              [texts.actual, <code>{actual}</code>]
            ]}
          />
        )}
      </li>
      <li>
        <Badge tone={chain_valid ? "good" : "bad"}>{chain_valid ? texts.linked : texts.unlinked}</Badge>
      </li>
      {on_chain !== undefined && (
        <li>
          <Badge tone={CHAIN_TONES[on_chain.status]}>{texts.chain[on_chain.status]}</Badge>{" "}
          <span class="muted integrity-small" lang="en">
            {on_chain.detail}
          </span>
        </li>
      )}
    </ul>
  )
}

const Verification = ({ id, atOnce }: { readonly id: string; readonly atOnce: boolean }) => {
  const texts = useTexts(anchorTexts)
  const { messages } = useLanguage()
  const [found, setFound] = useState<Schemas["AnchorVerification"]>()
  const change = useChange(
    [],
    ({ anchors }, anchor: string) => anchors.verify(anchor),
    ({ data }) => setFound(data)
  )
  useEffect(() => {
    if (atOnce) change.run(id)
  }, [id])
  return (
    <div class="integrity-stack">
      <div class="integrity-verify">
        <button type="button" class="primary" disabled={change.isRunning} onClick={() => change.run(id)}>
          {texts.verify}
        </button>
        <p class="muted integrity-small">{texts.verifyHint}</p>
      </div>
      <div role="status">
        {change.isRunning ? <p>{messages.loading}</p> : found !== undefined && <Findings found={found} />}
      </div>
      <ChangeFault fault={change.fault} />
    </div>
  )
}

const Details = ({ anchor }: { readonly anchor: Schemas["AnchorDetail"] }) => {
  const texts = useTexts(anchorTexts)
  const { number } = useLanguage()
  const { previous_anchor_hash: previous, block_number: block } = anchor
  return (
    <Facts
      of={[
        [
          texts.period,
          <>
            <Moment at={anchor.period_start} exact /> – <Moment at={anchor.period_end} exact />
          </>
        ],
        [texts.events, number(anchor.events_count)],
        [texts.state, <Badge tone={ANCHOR_TONES[anchor.status]}>{texts.states[anchor.status]}</Badge>],
        [texts.transaction, <Transaction anchor={anchor} />],
        [texts.block, block === null ? undefined : number(block)],
        [
          texts.root,
          <>
            <code>{anchor.merkle_root}</code>
            <div class="muted integrity-small">{texts.rootHint}</div>
          </>
        ],
        [
          texts.previous,
          previous === null ? <span class="muted">{texts.none}</span> : <code>{previous}</code>
        ],
        [texts.firstHash, <code>{anchor.first_event_hash}</code>],
        [texts.lastHash, <code>{anchor.last_event_hash}</code>],
        [texts.created, <Moment at={anchor.created_at} />],
        [texts.id, <code>{anchor.id}</code>]
      ]}
    />
  )
}

/** The anchor that the address names; closing leads back to the page. */
export const AnchorDialog = ({ id }: { readonly id: string }) => {
  const texts = useTexts(anchorTexts)
  const { query, route } = useLocation()
  const address = useAddress()
  const read = useRead(["anchor", id], ({ anchors }, signal) => anchors.get(id, { signal }))
  return (
    <Dialog title={texts.anchor} close={() => route(address("integrity"), true)}>
      <Loaded read={read}>
        {({ data }) => (
          <div class="integrity-stack">
            <Verification id={id} atOnce={query.verify === "now"} />
            <Details anchor={data} />
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}
