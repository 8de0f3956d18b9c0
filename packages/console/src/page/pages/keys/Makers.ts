/** Who made a key. */
import { useRead } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"

/** Who made it, as far as the page knows. */
export type Maker =
  | { readonly kind: "member"; readonly id: string; readonly name: string }
  /** `name` where the key is among those that the page has read. */
  | { readonly kind: "key"; readonly id: string; readonly name: string | null }
  | { readonly kind: "former" | "command" | "unknown" }

/** Members that are read at once. */
const MOST = 100

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
  return isWhole ? { kind: "former" } : { kind: "member", id: createdBy, name: createdBy }
}

/** Tells the makers of keys; `keys` are those that the page has read. */
export const useMakers = (
  keys: ReadonlyArray<Pick<Schemas["ApiKey"], "id" | "name">> = []
): ((createdBy: string | null) => Maker) => {
  const enabled = useMay("members:read")
  const { data } = useRead(
    ["members", "names"],
    ({ members }, signal) => members.list({ limit: MOST }, { signal }).page(),
    { enabled }
  )
  return (createdBy) => makerOf(createdBy, data?.data ?? [], data?.pagination.has_more === false, keys)
}
