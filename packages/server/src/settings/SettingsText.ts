/** The settings as `cairn serve --help` lists them, and as `docs/Configuration.md` does. */
import type { Setting } from "./SettingDeclaration.ts"
import { SETTINGS } from "./Settings.ts"

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

/** Markdown as a terminal shows it. */
const plain = (markdown: string): string => markdown.replaceAll("`", "")

const withoutIt = ({ fallback, otherwise }: Setting<unknown>): string => {
  if (fallback !== "") return ` (default ${fallback})`
  return otherwise === undefined ? "" : `; by default ${plain(otherwise)}`
}

/** One line a setting, for `--help`. */
export const settingsHelp = (): string => {
  const width = Math.max(...settings.map(({ name }) => name.length))
  return settings
    .map((setting) => `  ${setting.name.padEnd(width)} ${plain(setting.meaning)}${withoutIt(setting)}`)
    .join("\n")
}

const row = ({ name, fallback, otherwise, meaning, details }: Setting<unknown>): string => {
  const value = fallback === "" ? (otherwise ?? "none") : `\`${fallback}\``
  return `| \`${name}\` | ${value} | ${meaning}${details === undefined ? "" : `. ${details}`} |`
}

/** The table of `docs/Configuration.md`. */
export const settingsTable = (): string =>
  ["| variable | default | meaning |", "|---|---|---|", ...settings.map(row)].join("\n")
