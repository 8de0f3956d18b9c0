/** The secrets of an installation, which nothing that the doctor says may hold. */
import { isFromFile } from "../settings/SecretFiles.ts"
import type { Environment, Setting } from "../settings/SettingDeclaration.ts"
import { SETTINGS } from "../settings/Settings.ts"

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

/** Shorter ones are words that stand everywhere. */
const SHORTEST = 4

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The password of a URL and what its query holds; also of one that cannot be read. */
const inUrl = (text: string): ReadonlyArray<string> => {
  const [scheme, end] = [text.indexOf("://"), text.lastIndexOf("@")]
  const login = scheme === -1 ? "" : text.slice(scheme + 3, Math.max(scheme + 3, end))
  const password = login.includes(":") ? login.slice(login.indexOf(":") + 1) : ""
  const values = text.includes("?")
    ? text
        .slice(text.indexOf("?") + 1)
        .split("&")
        .map((pair) => decoded(pair.slice(pair.indexOf("=") + 1)))
        // Schemes, modes, regions and addresses are no secrets.
        .filter((value) => value.length >= 12 && !/^https?:|^\/|^verify-/i.test(value))
    : []
  return [password, ...values]
}

/** Nodes of a chain have their key in the path; a shorter part is a word, such as `rpc`. */
const KEY_IN_PATH = 8

const inPath = (text: string): ReadonlyArray<string> =>
  URL.canParse(text) ? new URL(text).pathname.split("/").filter(({ length }) => length >= KEY_IN_PATH) : []

/** What is secret in the value of a setting. */
const inValue = ({ secret }: Setting<unknown>, value: string): ReadonlyArray<string> =>
  secret === true
    ? value
        .split(",")
        .flatMap((item) => [item, item.slice(item.indexOf("=") + 1), ...inUrl(item), ...inPath(item)])
        .concat(value)
    : value.split(",").flatMap(inUrl).concat(inUrl(value))

/** Every secret of these environments, the longest first. */
export const secretsIn = (...environments: ReadonlyArray<Environment>): ReadonlyArray<string> => {
  const found = environments.flatMap((environment) =>
    settings.filter(isFromFile).flatMap((setting) => {
      const value = environment[setting.name]
      return value === undefined ? [] : inValue(setting, value)
    })
  )
  const all = new Set(found.flatMap((text) => [text.trim(), decoded(text.trim())]))
  return [...all].filter(({ length }) => length >= SHORTEST).sort((one, other) => other.length - one.length)
}

/** A text without them. */
export const withoutSecrets = (secrets: ReadonlyArray<string>, text: string): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, "(hidden)"), text)
