/** Fields of forms: a label, a hint, and what is wrong with it, each tied to the control. */
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { usePartsTexts } from "./PartsTexts.ts"

/** What every field has. */
interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** What is wrong with it. */
  readonly error?: string | undefined
  readonly required?: boolean
}

/** A label around a control, with what its element needs to point at hint and error. */
export const Field = ({
  label,
  hint,
  error,
  required = false,
  children
}: FieldProps & {
  readonly children: (control: {
    readonly id: string
    readonly "aria-describedby"?: string
    readonly "aria-invalid"?: boolean
    readonly required: boolean
  }) => ComponentChildren
}) => {
  const texts = usePartsTexts()
  const id = useId()
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter(Boolean)
    .join(" ")
  return (
    <div class="form-field">
      <label for={id}>
        {label} {required && <span class="muted">({texts.required})</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        required,
        ...(described === "" ? {} : { "aria-describedby": described }),
        ...(error === undefined ? {} : { "aria-invalid": true })
      })}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

/** A line of text. */
export const TextField = ({
  value,
  change,
  type = "text",
  placeholder,
  list,
  ...field
}: FieldProps & {
  readonly value: string
  readonly change: (value: string) => void
  readonly type?: "text" | "email" | "url" | "search" | "date" | "datetime-local" | "time"
  readonly placeholder?: string
  /** What it suggests. */
  readonly list?: ReadonlyArray<string>
}) => {
  const suggestions = useId()
  return (
    <Field {...field}>
      {(control) => (
        <>
          <input
            {...control}
            type={type}
            // To the second, where times are typed; browsers would take whole minutes alone.
            step={type === "datetime-local" || type === "time" ? 1 : undefined}
            value={value}
            placeholder={placeholder}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            {...(list === undefined ? {} : { list: suggestions })}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
          {list !== undefined && (
            <datalist id={suggestions}>
              {list.map((item) => (
                <option key={item} value={item} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}

/** A number; empty for none. */
export const NumberField = ({
  value,
  change,
  min,
  max,
  ...field
}: FieldProps & {
  readonly value: string
  readonly change: (value: string) => void
  readonly min?: number
  readonly max?: number
}) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        type="number"
        inputMode="numeric"
        value={value}
        min={min}
        max={max}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    )}
  </Field>
)

/** Several lines of text. */
export const TextArea = ({
  value,
  change,
  rows = 3,
  placeholder,
  ...field
}: FieldProps & {
  readonly value: string
  readonly change: (value: string) => void
  readonly rows?: number
  readonly placeholder?: string
}) => (
  <Field {...field}>
    {(control) => (
      <textarea
        {...control}
        rows={rows}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    )}
  </Field>
)

/** One of a few. */
export const SelectField = <Value extends string>({
  value,
  change,
  options,
  ...field
}: FieldProps & {
  readonly value: Value
  readonly change: (value: Value) => void
  readonly options: ReadonlyArray<readonly [value: Value, label: string]>
}) => (
  <Field {...field}>
    {(control) => (
      <select
        {...control}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([option]) => option === currentTarget.value)
          if (chosen !== undefined) change(chosen[0])
        }}
      >
        {options.map(([option, label]) => (
          <option key={option} value={option}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** Yes or no. */
export const CheckField = ({
  label,
  hint,
  value,
  change,
  disabled = false
}: {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  readonly value: boolean
  readonly change: (value: boolean) => void
  readonly disabled?: boolean
}) => {
  const id = useId()
  return (
    <div class="check-field">
      <input
        type="checkbox"
        id={id}
        checked={value}
        disabled={disabled}
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Why a form was not taken. */
export const FormError = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="form-error" role="alert">
    {children}
  </p>
)
