/** The URL of a PostgreSQL database, which may name several servers: `postgres://user@one:5432,two/name`. */
import { Result, Schema } from "effect"

/** What a server must be to be used, by the words of libpq's `target_session_attrs`. */
const NEEDS = ["any", "read-write", "primary"] as const
export type Needs = (typeof NEEDS)[number]

/** A server that a URL names. */
export interface DatabaseHost {
  /** Host and port as the URL has them, for messages. */
  readonly name: string
  /** The URL with this server alone. With its password: never to be shown. */
  readonly url: string
}

/** A URL that was read. */
export interface DatabaseUrl {
  /** In the URL's order; never empty. */
  readonly hosts: ReadonlyArray<DatabaseHost>
  readonly needs: Needs
  /** The URL without password and parameters, for messages. */
  readonly name: string
}

/** The URL is not one of a PostgreSQL database. */
export class InvalidDatabaseUrl extends Schema.TaggedError<InvalidDatabaseUrl>()("InvalidDatabaseUrl", {
  /** What it must be, in words that follow "must". */
  must: Schema.String
}) {
  override get message(): string {
    return `the database's URL must ${this.must}`
  }
}

const SCHEME = /^postgres(?:ql)?:\/\//

/** A URL in its parts: user information ends at the last `@` before the path, because it may hold one. */
const split = (text: string) => {
  const scheme = SCHEME.exec(text)?.[0]
  if (scheme === undefined) return undefined
  const rest = text.slice(scheme.length)
  const end = rest.search(/[/?#]/)
  const authority = end === -1 ? rest : rest.slice(0, end)
  const at = authority.lastIndexOf("@") + 1
  return {
    scheme,
    user: authority.slice(0, at),
    hosts: authority.slice(at).split(","),
    rest: end === -1 ? "" : rest.slice(end)
  }
}

/**
 * Reads a URL in libpq's form. Without `target_session_attrs`, several servers mean `read-write`, since Cairn
 * writes: libpq would take the first that answers. Fails with what it must be, in words that follow "must".
 */
export const readDatabaseUrl = (text: string): Result.Result<DatabaseUrl, string> => {
  const parts = split(text)
  const [one] = parts?.hosts ?? []
  if (parts === undefined || one === undefined) return Result.fail("be a URL that begins with postgres://")
  const { scheme, user, rest } = parts
  const hosts = parts.hosts.map((name): DatabaseHost => ({ name, url: `${scheme}${user}${name}${rest}` }))
  const several = hosts.length > 1
  if (!hosts.every(({ name, url }) => URL.canParse(url) && !(several && name === ""))) {
    return Result.fail("be a URL that begins with postgres://, with its servers as HOST:PORT,HOST:PORT")
  }
  const { searchParams, pathname, username } = new URL(`${scheme}${user}${one}${rest}`)
  for (const parameter of ["host", "port"]) {
    if (several && searchParams.has(parameter)) {
      return Result.fail(`name its servers before the database, not also by the parameter ${parameter}`)
    }
    if (searchParams.get(parameter)?.includes(",")) {
      return Result.fail(`name one ${parameter} by that parameter: several stand before the database`)
    }
  }
  const asked = searchParams.get("target_session_attrs") ?? (several ? "read-write" : "any")
  const needs = NEEDS.find((name) => name === asked)
  if (needs === undefined) return Result.fail(`have a target_session_attrs of ${NEEDS.join(", ")}`)
  const name = `${scheme}${username === "" ? "" : `${username}@`}${parts.hosts.join(",")}${pathname}`
  return Result.succeed({ hosts, needs, name })
}
