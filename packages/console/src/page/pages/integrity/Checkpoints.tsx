/** The checkpoints over time, and two of them compared. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, type Column, Moment, SelectField, TextArea } from "@cairn/ui/parts"
import { useRef, useState } from "preact/hooks"
import type { Pages } from "../../data/Pages.ts"
import { useChange } from "../../data/Read.ts"
import type { Schemas } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { checkpointTexts } from "./CheckpointTexts.ts"
import type { FetchedNote } from "./FetchedNote.ts"
import { type Comparison, compareNotes } from "./NoteComparison.ts"
import { type ReadNote, readNote } from "./ReadNote.ts"

type Listed = Schemas["SignedCheckpoint"]

const GOOD: ReadonlySet<Comparison["kind"]> = new Set(["grown", "same"])
const BAD: ReadonlySet<Comparison["kind"]> = new Set(["changed", "cut", "split"])

const Outcome = ({ comparison }: { readonly comparison: Comparison }) => {
  const texts = useTexts(checkpointTexts)
  const { number } = useLanguage()
  const say = texts.outcomes[comparison.kind]
  const sentence =
    comparison.kind === "grown"
      ? say(number(comparison.from), number(comparison.to), number(comparison.hashes))
      : comparison.kind === "changed"
        ? say(number(comparison.from), number(comparison.to), "")
        : comparison.kind === "cut"
          ? say(number(comparison.size), number(comparison.now), "")
          : comparison.kind === "otherLog"
            ? say(comparison.origin, "", "")
            : say(comparison.kind === "nothing" ? "" : number(comparison.size), "", "")
  const { kind } = comparison
  return (
    <>
      <p class="integrity-outcome">
        <Badge tone={GOOD.has(kind) ? "good" : BAD.has(kind) ? "bad" : "warning"}>{sentence}</Badge>
      </p>
      <p class="muted integrity-small">{texts.computedHere}</p>
    </>
  )
}

interface CompareFormProps {
  readonly kept: string
  readonly change: (kept: string) => void
  readonly newest: string
  readonly listed: ReadonlyArray<Listed>
}

const CompareForm = ({ kept, change, newest, listed }: CompareFormProps) => {
  const texts = useTexts(checkpointTexts)
  const { number, moments } = useLanguage()
  const [against, setAgainst] = useState("")
  const [comparison, setComparison] = useState<Comparison>()
  const [isRefused, setRefused] = useState(false)
  const other = listed.find(({ root }) => root === against)?.note ?? newest
  const head = readNote(newest)
  const comparing = useChange(
    [],
    ({ checkpoints }, [one, two]: readonly [ReadNote, ReadNote]) =>
      compareNotes(one.checkpoint, two.checkpoint, head?.checkpoint.size ?? 0, async ({ from, to }) => {
        const { data } = await checkpoints.consistency({ from: String(from), to: String(to) })
        return data
      }),
    setComparison
  )
  const forget = () => {
    setComparison(undefined)
    setRefused(false)
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        forget()
        const [one, two] = [readNote(kept), readNote(other)]
        if (one === undefined || two === undefined) setRefused(true)
        else comparing.run([one, two])
      }}
    >
      <TextArea
        label={texts.kept}
        hint={texts.keptHint}
        value={kept}
        rows={6}
        required
        change={(value) => {
          forget()
          change(value)
        }}
        error={isRefused ? texts.keptFault : undefined}
      />
      <SelectField
        label={texts.against}
        value={against}
        change={(value) => {
          forget()
          setAgainst(value)
        }}
        options={[
          ["", texts.newest(number(head?.checkpoint.size ?? 0))],
          ...listed.map(
            ({ root, size, signed_at }) =>
              [root, texts.ofTime(number(size), moments.absolute(Date.parse(signed_at)))] as const
          )
        ]}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={comparing.isRunning}>
          {texts.run}
        </button>
      </div>
      <ChangeFault fault={comparing.fault} />
      <div role="status">{comparison !== undefined && <Outcome comparison={comparison} />}</div>
    </form>
  )
}

/** The list, and the form beside it. */
export const Checkpoints = ({
  pages,
  newest
}: {
  readonly pages: Pages<Listed>
  readonly newest: FetchedNote | undefined
}) => {
  const texts = useTexts(checkpointTexts)
  const { number } = useLanguage()
  const [kept, setKept] = useState("")
  const form = useRef<HTMLDivElement>(null)
  const columns: ReadonlyArray<Column<Listed>> = [
    { name: texts.signed, cell: ({ signed_at }) => <Moment at={signed_at} /> },
    { name: texts.events, cell: ({ size }) => number(size) },
    { name: texts.root, cell: ({ root }) => <code title={root}>{root.slice(0, 16)}…</code> },
    {
      name: texts.compareRow,
      unnamed: true,
      cell: ({ note, size }) => (
        <button
          type="button"
          class="small"
          aria-label={`${texts.compareRow}: ${number(size)}`}
          onClick={() => {
            setKept(note)
            form.current?.querySelector("textarea")?.focus()
          }}
        >
          {texts.compareRow}
        </button>
      )
    }
  ]
  return (
    <div class="columns integrity-columns">
      <Card title={texts.list} hint={texts.listHint}>
        <ListFrame
          label={texts.list}
          pages={pages}
          columns={columns}
          keyOf={({ size, signed_at }) => `${size} ${signed_at}`}
          empty={texts.empty}
          emptyHint={texts.emptyHint}
        />
      </Card>
      {newest !== undefined && (
        <Card title={texts.compare} hint={texts.compareHint}>
          <div ref={form}>
            <CompareForm kept={kept} change={setKept} newest={newest.note} listed={pages.data?.data ?? []} />
          </div>
        </Card>
      )}
    </div>
  )
}
