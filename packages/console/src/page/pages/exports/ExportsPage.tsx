/** Exports: events as files, and evidence for auditors. */
import { useRoute } from "preact-iso"
import { useMay } from "../../data/Session.ts"
import { NotAllowed } from "../../frame/NotAllowed.tsx"
import { ExportDetail } from "./ExportDetail.tsx"
import { ExportList } from "./ExportList.tsx"
import "./exports.css"

/** The page: all exports, or the one that the address names. */
const ExportsPage = () => {
  const { id } = useRoute().params
  if (!useMay("exports:read")) return <NotAllowed page="exports" />
  return id === undefined ? <ExportList /> : <ExportDetail key={id} id={id} />
}

export default ExportsPage
