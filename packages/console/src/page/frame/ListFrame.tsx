/** A list: its rows, or why there are none, and the way to its other pages. */
import { useLanguage } from "@cairn/ui/locale"
import { Notice } from "@cairn/ui/notice"
import { type Column, Table } from "@cairn/ui/parts"
import type { ComponentChildren } from "preact"
import type { Pages } from "../data/Pages.ts"
import { useTexts } from "../locale/Texts.ts"
import { FaultNotice } from "./FaultNotice.tsx"
import { frameTexts } from "./FrameTexts.ts"

/** The list at one of its pages. */
export const ListFrame = <Row,>({
  label,
  pages,
  columns,
  keyOf,
  empty,
  emptyHint,
  emptyAction
}: {
  /** What it lists. */
  readonly label: string
  readonly pages: Pages<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  readonly empty: string
  readonly emptyHint: string
  readonly emptyAction?: ComponentChildren
}) => {
  const texts = useTexts(frameTexts)
  const { messages } = useLanguage()
  const { data, fault, again, previous, next } = pages
  if (data === undefined) {
    return fault === undefined ? (
      <p class="notice" role="status">
        {messages.loading}
      </p>
    ) : (
      <FaultNotice fault={fault} retry={again} />
    )
  }
  if (data.data.length === 0 && previous === undefined) {
    return (
      <Notice title={empty} hint={emptyHint}>
        {emptyAction}
      </Notice>
    )
  }
  return (
    <>
      {fault !== undefined && <FaultNotice fault={fault} retry={again} />}
      <Table label={label} columns={columns} rows={data.data} keyOf={keyOf} />
      {(previous !== undefined || next !== undefined) && (
        <nav class="list-pages" aria-label={texts.pageOfList}>
          <button type="button" disabled={previous === undefined} onClick={previous}>
            {texts.newer}
          </button>
          <button type="button" disabled={next === undefined} onClick={next}>
            {texts.older}
          </button>
        </nav>
      )}
    </>
  )
}
