/** Leads to what is wrong in a form. */
import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { Fault } from "../data/Fault.ts"

/** For a form: whenever the service does not take it, the first field that it names gets the focus. */
export const useFirstFault = (fault: Fault | undefined): RefObject<HTMLFormElement | null> => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (fault !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [fault])
  return form
}
