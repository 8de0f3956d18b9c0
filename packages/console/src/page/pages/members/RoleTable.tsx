/** What each role may do. */
import { type Column, Glyph, Table } from "@cairn/ui/parts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { useTexts } from "../../locale/Texts.ts"
import { membersTexts } from "./MembersTexts.ts"
import { CAPABILITIES, type Capability, may, ROLES } from "./Roles.ts"

/** The table: a line for each thing that can be done, a column for each role. */
export const RoleTable = () => {
  const texts = useTexts(membersTexts)
  const { roles } = useTexts(frameTexts)
  const columns: ReadonlyArray<Column<Capability>> = [
    { name: texts.capability, cell: ({ name }) => texts.capabilities[name] },
    ...ROLES.map((role) => ({
      name: roles[role],
      cell: (capability: Capability) =>
        may(role, capability) ? (
          <span class="members-may">
            <Glyph name="check" />
            <span class="hidden">{texts.yes}</span>
          </span>
        ) : (
          <span class="muted">
            <span aria-hidden="true">–</span>
            <span class="hidden">{texts.no}</span>
          </span>
        )
    }))
  ]
  return (
    <div class="members-roles">
      <Table label={texts.rolesTitle} columns={columns} rows={CAPABILITIES} keyOf={({ name }) => name} />
    </div>
  )
}
