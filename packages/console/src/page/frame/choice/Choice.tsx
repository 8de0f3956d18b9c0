/** One of a few, all of them in sight: as cards that say what each means, or as a line of short words. */
import "./choice.css"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

/** Something that can be chosen. */
export interface Option<Value extends string> {
  readonly value: Value
  readonly label: ComponentChildren
  /** What it means, in a sentence; none in a line of short words. */
  readonly hint?: ComponentChildren
}

/** The options, of which one is chosen. */
export const Choice = <Value extends string>({
  label,
  options,
  value,
  change,
  isLine = false,
  hint,
  error
}: {
  readonly label: string
  readonly options: ReadonlyArray<Option<Value>>
  readonly value: Value
  readonly change: (value: Value) => void
  /** Whether they stand in a line. */
  readonly isLine?: boolean
  readonly hint?: ComponentChildren
  /** What is wrong with what was chosen. */
  readonly error?: string | undefined
}) => {
  const name = useId()
  const described = [hint === undefined ? "" : `${name}-hint`, error === undefined ? "" : `${name}-error`]
    .filter(Boolean)
    .join(" ")
  return (
    <fieldset class="choice-fieldset" {...(described === "" ? {} : { "aria-describedby": described })}>
      <legend>{label}</legend>
      <div class={isLine ? "choice-line" : "choice-cards"}>
        {options.map((option) => (
          <div key={option.value} class="choice">
            <input
              type="radio"
              id={`${name}-${option.value}`}
              name={name}
              checked={option.value === value}
              {...(option.hint === undefined ? {} : { "aria-describedby": `${name}-${option.value}-hint` })}
              onChange={() => change(option.value)}
            />
            <label for={`${name}-${option.value}`}>{option.label}</label>
            {option.hint !== undefined && (
              <p class="hint" id={`${name}-${option.value}-hint`}>
                {option.hint}
              </p>
            )}
          </div>
        ))}
      </div>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
