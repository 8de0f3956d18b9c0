/** The fields of a destination, as its kind has them. */
import { CheckField, Field, NumberField, SelectField, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import type { Fault } from "../../data/Fault.ts"
import { fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { destinationTexts } from "./DestinationTexts.ts"
import { fieldText, KEPT_SECRET, type StreamDraft } from "./StreamDraft.ts"
import { FIELDS, type FieldSpec } from "./StreamKinds.ts"

interface DestinationProps {
  readonly draft: StreamDraft
  readonly change: (draft: StreamDraft) => void
  readonly fault: Fault | undefined
}

const useHint = (spec: FieldSpec, kept: boolean): string | undefined => {
  const texts = useTexts(destinationTexts)
  const hint = texts.fieldHints[spec.name]
  return kept ? [hint ?? "", texts.secretKept].join(" ").trim() : hint
}

/** A secret that is typed or pasted; browsers are not to keep it. */
const SecretField = ({
  value,
  change,
  placeholder,
  ...field
}: {
  readonly label: string
  readonly hint?: string
  readonly error: string | undefined
  readonly required: boolean
  readonly value: string
  readonly change: (value: string) => void
  readonly placeholder: string
}) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        type="password"
        // Browsers fill in passwords where "off" is said, too.
        autocomplete="new-password"
        value={value === KEPT_SECRET ? "" : value}
        placeholder={value === KEPT_SECRET ? "•••" : placeholder}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    )}
  </Field>
)

const DestinationField = ({
  spec,
  draft,
  change,
  fault
}: DestinationProps & { readonly spec: FieldSpec }) => {
  const texts = useTexts(destinationTexts)
  const value = fieldText(draft, spec)
  const [kept] = useState(value === KEPT_SECRET)
  const hint = useHint(spec, kept)
  const set = (text: string) => change({ ...draft, fields: { ...draft.fields, [spec.name]: text } })
  const field = {
    label: texts.fields[spec.name],
    required: spec.required ?? false,
    error: fieldFault(fault, `destination.${spec.name}`),
    ...(hint === undefined ? {} : { hint })
  }
  switch (spec.control) {
    case "check":
      return (
        <CheckField
          label={field.label}
          hint={hint}
          value={value === "true"}
          change={(on) => set(String(on))}
        />
      )
    case "body":
      return (
        <SelectField
          {...field}
          value={value === "array" ? "array" : "ndjson"}
          change={set}
          options={[
            ["ndjson", texts.bodies.ndjson],
            ["array", texts.bodies.array]
          ]}
        />
      )
    case "number":
      return (
        <NumberField
          {...field}
          value={value}
          change={set}
          {...(spec.min === undefined ? {} : { min: spec.min })}
          {...(spec.max === undefined ? {} : { max: spec.max })}
        />
      )
    case "secret":
      return (
        <SecretField
          {...field}
          required={field.required && value !== KEPT_SECRET}
          value={value}
          // What is empty again is kept again.
          change={(text) => set(text === "" && kept ? KEPT_SECRET : text)}
          placeholder={spec.placeholder ?? ""}
        />
      )
    default:
      return (
        <TextField
          {...field}
          type={spec.control}
          value={value}
          change={set}
          {...(spec.placeholder === undefined ? {} : { placeholder: spec.placeholder })}
        />
      )
  }
}

/** All fields of the kind that is chosen. */
export const DestinationFields = (props: DestinationProps) => (
  <div class="stream-fields">
    {FIELDS[props.draft.kind].map((spec) => (
      <DestinationField key={`${props.draft.kind} ${spec.name}`} spec={spec} {...props} />
    ))}
  </div>
)
