/** A part of a page with a heading, and facts as names and values. */
import type { ComponentChildren } from "preact"

/** A part of a page. */
export const Card = ({
  title,
  hint,
  actions,
  children
}: {
  readonly title: string
  readonly hint?: ComponentChildren
  /** What stands at the end of the heading's line, such as a button. */
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}) => (
  <section class="card">
    <header class="card-head">
      <div>
        <h2>{title}</h2>
        {hint !== undefined && <p class="muted">{hint}</p>}
      </div>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
)

/** Names and values, a pair a line. A value that is undefined has no line. */
export const Facts = ({
  of
}: {
  readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]>
}) => (
  <dl class="facts">
    {of.map(
      ([name, value]) =>
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        )
    )}
  </dl>
)
