/** The permission model as a table of the documentation. */
import { ACCESS_KINDS } from "@cairn/core/access"
import { MemberRole, PERMISSION_NAMES, PERMISSIONS, rolesWith, scopeOf } from "@cairn/core/workspace"

const ROLES = MemberRole.literals

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** The table in Markdown: a line for each permission, with the scope of keys and the roles of members. */
export const permissionsTable = (): string =>
  [
    row(["permission", "a key needs the scope", ...ROLES.map((role) => `\`${role}\``)]),
    row(["---", "---", ...ROLES.map(() => ":-:")]),
    ...PERMISSION_NAMES.map((name) =>
      row([
        `\`${name}\`: ${PERMISSIONS[name].allows}`,
        `\`${scopeOf(name)}\``,
        ...ROLES.map((role) => (rolesWith(name).includes(role) ? "yes" : "–"))
      ])
    )
  ].join("\n")

/** The table of docs/People.md that says which reads are recorded as what. */
export const accessTable = (): string =>
  [
    "| action | what was read |",
    "| --- | --- |",
    ...Object.entries(ACCESS_KINDS).map(([kind, what]) => `| \`cairn.access.${kind}\` | ${what} |`)
  ].join("\n")
