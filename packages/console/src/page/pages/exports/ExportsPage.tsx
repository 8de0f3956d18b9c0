/** Exports: events as files, and evidence for auditors. */
import { useRoute } from "preact-iso"
import { ExportDetail } from "./ExportDetail.tsx"
import { ExportList } from "./ExportList.tsx"
import "./exports.css"

/** The page: all exports, or the one that the address names. */
const ExportsPage = () => {
  const { id } = useRoute().params
  return id === undefined ? <ExportList /> : <ExportDetail key={id} id={id} />
}

export default ExportsPage
