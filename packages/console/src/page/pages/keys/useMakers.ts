/** Tells who made keys, by the members of the workspace. */
import { useRead } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { type Maker, makerOf } from "./Maker.ts"

/** Members that are read at once. */
const MOST = 100

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
