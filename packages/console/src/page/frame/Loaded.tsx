/** Something that is read, once it is there; before, that it is being read, or why it could not be. */
import { useLanguage } from "@cairn/ui/locale"
import type { ComponentChildren } from "preact"
import type { Read } from "../data/Read.ts"
import { FaultNotice } from "./FaultNotice.tsx"

/** What was read, as `children` shows it. */
export const Loaded = <A,>({
  read,
  children
}: {
  readonly read: Read<A>
  readonly children: (data: A) => ComponentChildren
}) => {
  const { messages } = useLanguage()
  const { data, fault, again } = read
  if (data !== undefined) return <>{children(data)}</>
  if (fault !== undefined) return <FaultNotice fault={fault} retry={again} />
  return (
    <p class="notice" role="status">
      {messages.loading}
    </p>
  )
}
