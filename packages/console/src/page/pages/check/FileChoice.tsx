/** The files that are checked: chosen, dropped, put in order. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, FormError } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useState } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import { fileSize } from "../exports/Export.ts"
import { checkTexts } from "./CheckTexts.ts"
import { oddityOf } from "./FileOrder.ts"
import type { Chosen, ChosenFile } from "./useFiles.ts"

/** A file input that looks like a button, and is one for the keyboard and for those who listen. */
const FileButton = ({
  label,
  isFirst = false,
  isMany = false,
  describedBy,
  choose
}: {
  readonly label: string
  readonly isFirst?: boolean
  readonly isMany?: boolean
  readonly describedBy: string
  readonly choose: (files: ReadonlyArray<File>) => void
}) => {
  const id = useId()
  return (
    <span class="check-choose" data-first={isFirst}>
      <input
        class="hidden"
        type="file"
        id={id}
        multiple={isMany}
        aria-describedby={describedBy}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          // The same file may be chosen again, such as after it was changed.
          currentTarget.value = ""
          if (files.length > 0) choose(files)
        }}
      />
      <label for={id}>{label}</label>
    </span>
  )
}

/** Takes files that are dropped anywhere on the page: beside the zone, the browser would leave the page. */
const useDrop = (choose: (files: ReadonlyArray<File>) => void): boolean => {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      setOver(false)
      choose(files)
    }
    addEventListener("dragover", over)
    addEventListener("dragleave", leave)
    addEventListener("drop", drop)
    return () => {
      removeEventListener("dragover", over)
      removeEventListener("dragleave", leave)
      removeEventListener("drop", drop)
    }
  })
  return isOver
}

const FileLine = ({ of: { file, head }, role }: { readonly of: ChosenFile; readonly role: string }) => {
  const texts = useTexts(checkTexts)
  const { locale, number } = useLanguage()
  return (
    <li>
      <strong>{role}:</strong> <PlainText text={file.name} limit={120} />,{" "}
      <span class="muted">
        {fileSize(file.size, locale)}
        {head === null && `, ${texts.noHead}`}
        {head && `, ${texts.range(number(head.from), number(head.to))}`}
      </span>
    </li>
  )
}

const FileList = ({ chosen }: { readonly chosen: Chosen }) => {
  const texts = useTexts(checkTexts)
  const hint = useId()
  const { files, swap, add } = chosen
  const isPair = files.length === 2
  const oddity = oddityOf(files.map(({ head = null }) => ({ head })))
  return (
    <>
      <ul class="plain check-files" aria-label={texts.chosen}>
        {files.map((of, index) => (
          <FileLine
            key={index}
            of={of}
            role={isPair ? texts.roles[index === 0 ? "earlier" : "later"] : texts.roles.only}
          />
        ))}
      </ul>
      {oddity !== undefined && <FormError>{texts.oddities[oddity]}</FormError>}
      {isPair ? (
        <p>
          <button type="button" class="small" onClick={swap}>
            {texts.swap}
          </button>
        </p>
      ) : (
        <p class="check-add">
          <FileButton label={texts.addAnother} describedBy={hint} choose={add} />{" "}
          <span class="hint" id={hint}>
            {texts.addHint}
          </span>
        </p>
      )}
    </>
  )
}

/** The zone, and what was chosen; `children` says what becomes of the file. */
export const FileChoice = ({
  chosen,
  children
}: {
  readonly chosen: Chosen
  readonly children: ComponentChildren
}) => {
  const texts = useTexts(checkTexts)
  const hint = useId()
  const isOver = useDrop(chosen.choose)
  return (
    <Card title={texts.file}>
      <div class="check-drop" data-over={isOver}>
        <p>
          <FileButton label={texts.choose} isFirst isMany describedBy={hint} choose={chosen.choose} />{" "}
          {texts.drop}
        </p>
        <p class="hint" id={hint}>
          {texts.dropHint}
        </p>
      </div>
      {chosen.isTooMany && <FormError>{texts.tooMany}</FormError>}
      {chosen.files.length > 0 && <FileList chosen={chosen} />}
      <div class="check-private">{children}</div>
    </Card>
  )
}
