/** Lists that are read a page at a time. */
import type { SessionCalls } from "@cairn/client/session"
import { useState } from "preact/hooks"
import { type Every, type Read, useRead } from "./Read.ts"

/** Rows on a page, so that few are in the document however long the list is. */
export const PAGE_ROWS = 25

/** A page as the interface returns it. */
export interface ListPage<Row> {
  readonly data: ReadonlyArray<Row>
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor: string | null
    readonly total?: number | null
  }
}

/** A list, at one of its pages. */
export interface Pages<Row> extends Read<ListPage<Row>> {
  /** Goes to the page before; undefined on the first. */
  readonly previous: (() => void) | undefined
  /** Goes to the page after; undefined on the last. */
  readonly next: (() => void) | undefined
}

/** What a page of a list is asked for with. */
export interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** A list, newest first, under a key as `useRead` takes it; another key begins at the first page. */
export const usePages = <Row>(
  key: ReadonlyArray<unknown>,
  read: (calls: SessionCalls, query: PageQuery, signal: AbortSignal) => Promise<ListPage<Row>>,
  options: { readonly every?: Every<ListPage<Row>>; readonly enabled?: boolean } = {}
): Pages<Row> => {
  const name = JSON.stringify(key)
  const [place, setPlace] = useState<{ readonly name: string; readonly cursors: ReadonlyArray<string> }>({
    name,
    cursors: []
  })
  const cursors = place.name === name ? place.cursors : []
  const cursor = cursors.at(-1)
  const page = useRead(
    [...key, cursor],
    (calls, signal) => read(calls, { limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) }, signal),
    options
  )
  const following = page.data?.pagination.next_cursor ?? null
  return {
    ...page,
    previous: cursors.length === 0 ? undefined : () => setPlace({ name, cursors: cursors.slice(0, -1) }),
    next: following === null ? undefined : () => setPlace({ name, cursors: [...cursors, following] })
  }
}
