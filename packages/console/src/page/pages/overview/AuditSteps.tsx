/** For auditors: the way from a file to a report. */
import { Card } from "@cairn/ui/parts"
import { useAddress, useSession } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { overviewTexts } from "./OverviewTexts.ts"

/** The steps; nothing for other roles. */
export const AuditSteps = () => {
  const texts = useTexts(overviewTexts)
  const address = useAddress()
  if (useSession().membership.role !== "auditor") return null
  return (
    <Card title={texts.audit} hint={texts.auditHint}>
      <ol class="overview-steps">
        <li>
          <a href={address("exports?new=evidence")}>{texts.auditFile}</a>
        </li>
        <li>
          <a href={address("check")}>{texts.auditCheck}</a>
        </li>
        <li>{texts.auditReport}</li>
      </ol>
    </Card>
  )
}
