/** The mark that shows whether an event is what was recorded, and the statement that explains it. */
import type { ReadonlySignal } from "@preact/signals"
import { useLanguage } from "../../locale/Messages.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { Icon } from "../../theme/Icon.tsx"
import type { Mark } from "./EventVerifier.ts"

/** The mark, in a row. */
export const VerificationMark = ({ mark }: { readonly mark: ReadonlySignal<Mark> }) => {
  const { messages } = useLanguage()
  const { kind } = mark.value
  return (
    <span class="mark" data-mark={kind} title={messages.marks[kind]}>
      <Icon name={kind} />
      <span class="hidden">{messages.marks[kind]}</span>
    </span>
  )
}

const ProvenStatement = ({ mark }: { readonly mark: Mark & { readonly kind: "proven" } }) => {
  const { messages, number } = useLanguage()
  const { report, sequence, signed } = mark
  const signature = report.proven.find(({ subject }) => subject.kind === "checkpoint")?.message
  const key = signature?.replace(/^It is signed by /, "")
  return (
    <>
      <p>{messages.provenStatement(number(sequence), number(report.checkpoint?.size ?? 0))}</p>
      <ul>
        <li>{messages.provenHere}</li>
        <li>
          {signed && key !== undefined ? <PlainText text={messages.signedBy(key)} /> : messages.notSigned}
        </li>
        <li>
          {report.anchor_id === null ? (
            messages.notAnchored
          ) : (
            <PlainText text={messages.anchoredIn(report.anchor_id)} />
          )}
        </li>
        <li>
          {messages.log}: <PlainText text={report.checkpoint?.origin ?? ""} />
        </li>
      </ul>
    </>
  )
}

const BrokenStatement = ({ mark }: { readonly mark: Mark & { readonly kind: "broken" } }) => {
  const { messages } = useLanguage()
  return (
    <>
      <p>{messages.brokenStatement}</p>
      <ul>
        {mark.report.failed.slice(0, 8).map(({ code, type, message, expected, actual }) => (
          <li key={`${code} ${message}`}>
            <span lang="en">
              <PlainText text={message} limit={300} />
            </span>{" "}
            <code>{type === null ? code : `${type}, ${code}`}</code>
            {expected !== null && (
              <div>
                {messages.expected}: <code>{<PlainText text={expected} limit={200} />}</code>
              </div>
            )}
            {actual !== null && (
              <div>
                {messages.found}: <code>{<PlainText text={actual} limit={200} />}</code>
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** What the mark says, in full. */
export const VerificationStatement = ({ mark }: { readonly mark: ReadonlySignal<Mark> }) => {
  const { messages } = useLanguage()
  const now = mark.value
  return (
    <section class="statement" data-mark={now.kind} role="status">
      <h3>
        <Icon name={now.kind} /> {messages.marks[now.kind]}
      </h3>
      {now.kind === "proven" && <ProvenStatement mark={now} />}
      {now.kind === "broken" && <BrokenStatement mark={now} />}
      {now.kind === "unchecked" && <p>{messages.uncheckedReasons[now.reason]}</p>}
    </section>
  )
}
