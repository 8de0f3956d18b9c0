/** Who made a key. */
import type { Schemas } from "../../data/Schemas.ts"

/** Who made it, as far as the page knows. */
export type Maker =
  | { readonly kind: "member"; readonly id: string; readonly name: string }
  /** `name` where the key is among those that the page has read. */
  | { readonly kind: "key"; readonly id: string; readonly name: string | null }
  /** A part of the service itself, such as what makes the demo. */
  | { readonly kind: "service"; readonly name: string }
  | { readonly kind: "former" | "command" | "unknown" }

/** The maker of a key among members. With `isWhole` false, who is not among them may still be one. */
export const makerOf = (
  createdBy: string | null,
  members: ReadonlyArray<Pick<Schemas["Member"], "id" | "name" | "email">>,
  isWhole: boolean,
  keys: ReadonlyArray<Pick<Schemas["ApiKey"], "id" | "name">> = []
): Maker => {
  if (createdBy === null) return { kind: "unknown" }
  if (createdBy === "cairn-cli") return { kind: "command" }
  if (createdBy.startsWith("key_"))
    return {
      kind: "key",
      id: createdBy,
      name: keys.find(({ id }) => id === createdBy)?.name ?? null
    }
  const member = members.find(({ id }) => id === createdBy)
  if (member !== undefined) return { kind: "member", id: member.id, name: member.name ?? member.email }
  if (!createdBy.startsWith("mem_")) return { kind: "service", name: createdBy }
  return isWhole ? { kind: "former" } : { kind: "member", id: createdBy, name: createdBy }
}
