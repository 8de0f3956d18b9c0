/** The page "integrity": whether the log is what was recorded, and how anybody can check that. */
import "./integrity.css"
import { usePageClock } from "@cairn/ui/locale"
import { useState } from "preact/hooks"
import { useRoute } from "preact-iso"
import { usePages } from "../../data/Pages.ts"
import { useRead } from "../../data/Read.ts"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { AnchorDialog } from "./AnchorDialog.tsx"
import { Anchors } from "./Anchors.tsx"
import { Checkpoints } from "./Checkpoints.tsx"
import { readNewest } from "./FetchedNote.ts"
import { integrityTexts } from "./IntegrityTexts.ts"
import { NewestCheckpoint } from "./NewestCheckpoint.tsx"
import { Outside } from "./Outside.tsx"
import { SelfVerification } from "./SelfVerification.tsx"
import { VerifyNow } from "./VerifyNow.tsx"

/** Anchors that are listed at first, and at most. */
const ANCHORS = [10, 60] as const

/** The page. */
const IntegrityPage = () => {
  const texts = useTexts(integrityTexts)
  const { id } = useRoute().params
  const [limit, setLimit] = useState<number>(ANCHORS[0])
  const status = useRead(["verification"], async ({ events }, signal) => {
    const { data } = await events.verification({ signal })
    return data
  })
  const newest = useRead(["checkpoint"], readNewest(usePageClock()))
  const signed = usePages(["checkpoints"], ({ checkpoints }, query, signal) =>
    checkpoints.list({ ...query, limit: 10 }, { signal }).page()
  )
  const anchors = useRead(["anchors", limit], ({ anchors }, signal) =>
    anchors.list({ limit }, { signal }).page()
  )
  return (
    <>
      <PageHead page="integrity" hint={texts.hint} />
      <SelfVerification read={status} />
      <VerifyNow />
      <NewestCheckpoint read={newest} />
      <Checkpoints pages={signed} newest={newest.data} />
      <Anchors read={anchors} more={limit < ANCHORS[1] ? () => setLimit(ANCHORS[1]) : undefined} />
      <Outside />
      {id !== undefined && <AnchorDialog key={id} id={id} />}
    </>
  )
}

export default IntegrityPage
