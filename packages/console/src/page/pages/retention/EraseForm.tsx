/** Prepares the operator's command that erases a person or a tenant. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Card, Secret, SelectField, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useAddress, useSession } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { OnServer } from "../../frame/OnServer.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { type Erasure, eraseCommands } from "./EraseCommand.ts"
import { erasureTexts } from "./ErasureTexts.ts"
import { useCount, useSettled } from "./useCount.ts"

const KINDS = ["actor", "tenant"] as const

/** Who is meant, kept in the address. */
const useSubject = () => {
  const { path, query, route } = useLocation()
  const [subject, setSubject] = useState<Pick<Erasure, "kind" | "id">>(
    query.tenant === undefined
      ? { kind: "actor", id: query.actor ?? "" }
      : { kind: "tenant", id: query.tenant }
  )
  return {
    subject,
    choose: (change: Partial<typeof subject>) => {
      const next = { ...subject, ...change }
      setSubject(next)
      route(next.id === "" ? path : `${path}?${new URLSearchParams({ [next.kind]: next.id })}`, true)
    }
  }
}

const Found = ({ kind, id }: Pick<Erasure, "kind" | "id">) => {
  const texts = useTexts(erasureTexts)
  const { number } = useLanguage()
  const address = useAddress()
  const settled = useSettled(id)
  const { data: count, fault } = useCount(
    settled === "" ? undefined : kind === "actor" ? { actor_id: settled } : { tenant_id: settled }
  )
  if (fault !== undefined) return <ChangeFault fault={fault} />
  if (count === undefined || settled !== id) return <p class="muted">{texts.counting}</p>
  return (
    <p>
      <strong>{texts.found(count, number(count))}</strong>{" "}
      {kind === "actor" && count > 0 && (
        <a href={`${address("events")}?${new URLSearchParams({ actor_id: id })}`}>{texts.show}</a>
      )}
    </p>
  )
}

const Commands = (erasure: Erasure) => {
  const texts = useTexts(erasureTexts)
  const [dryRun, erase] = eraseCommands(erasure)
  return (
    <div class="retention-stack">
      {erasure.kind === "tenant" && <p>{texts.tenantHint}</p>}
      <p class="muted retention-small">
        {texts.commandHints[erasure.kind]} <OnServer />
      </p>
      <Secret label={texts.dryRun} text={dryRun} />
      <Secret label={texts.command} text={erase} />
    </div>
  )
}

const Lists = () => {
  const texts = useTexts(erasureTexts)
  return (
    <div class="columns retention-lists">
      <section>
        <h3>{texts.removesTitle}</h3>
        <ul>
          {texts.removes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </section>
      <section>
        <h3>{texts.leavesTitle}</h3>
        <ul>
          {texts.leaves.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </section>
    </div>
  )
}

/** The card. */
export const EraseForm = () => {
  const clock = usePageClock()
  const texts = useTexts(erasureTexts)
  const { membership } = useSession()
  const { subject, choose } = useSubject()
  const [reason, setReason] = useState(
    `${texts.defaultReason} ${new Date(clock.now()).toISOString().slice(0, 10)}`
  )
  return (
    <Card title={texts.title} hint={texts.hint}>
      <div class="retention-stack">
        <div class="form retention-fields">
          <SelectField
            label={texts.who}
            value={subject.kind}
            change={(kind) => choose({ kind })}
            options={KINDS.map((kind) => [kind, texts.kinds[kind]])}
          />
          <TextField label={texts.ids[subject.kind]} value={subject.id} change={(id) => choose({ id })} />
          <TextField label={texts.reason} hint={texts.reasonHint} value={reason} change={setReason} />
        </div>
        <div aria-live="polite">{subject.id !== "" && <Found {...subject} />}</div>
        {subject.id !== "" && reason.trim() !== "" && (
          <Commands {...subject} workspaceId={membership.workspace.id} reason={reason} />
        )}
        <Lists />
      </div>
    </Card>
  )
}
