/** The bar that filters events: a box for words and conditions, a control for time, and what is set. */
import { useRef, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import type { LogReader } from "../LogReader.ts"
import { Chips } from "./Chips.tsx"
import { PeriodControl } from "./period/PeriodControl.tsx"
import { SearchBox } from "./SearchBox.tsx"
import { ValueNames } from "./ValueNames.ts"

/** The bar. */
export const FilterBar = ({ reader }: { readonly reader: LogReader }) => {
  const { messages } = useLanguage()
  const bar = useRef<HTMLDivElement>(null)
  const [names] = useState(() => new ValueNames())
  return (
    <div ref={bar} class="filters" role="search" aria-label={messages.filters}>
      <SearchBox reader={reader} learn={(...learnt) => names.learn(...learnt)} />
      <PeriodControl reader={reader} />
      <Chips reader={reader} names={names} leave={() => bar.current?.querySelector("input")?.focus()} />
    </div>
  )
}
