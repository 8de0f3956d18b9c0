/**
 * Resolves host names without `getaddrinfo`, which blocks a thread of the pool until the name server replies.
 * Only two such calls run at a time, so two names whose servers hang would block all others.
 *
 * The order is the usual one: the hosts file, then the name servers, by the search domains of resolv.conf(5).
 * Each name is looked up independently. Other sources that a system may have, such as multicast DNS, are not
 * used.
 */
import type { LookupAddress } from "node:dns"
import { Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { join } from "node:path"

/** Resolves a host name to all its addresses. */
export type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<LookupAddress>) => void
) => void

/** Where names come from. */
interface HostResolverOptions {
  /** The hosts file (hosts(5)). */
  readonly hostsFile: string
  /** Addresses of name servers, as `dns.setServers` takes them; the system's own unless set. */
  readonly servers?: ReadonlyArray<string>
  /** The file of search domains (resolv.conf(5)). */
  readonly searchFile: string
  /** Milliseconds until a query without a reply is repeated, which happens once. */
  readonly timeout: number
  /** Milliseconds after which a look-up fails, even if name servers are left to ask. */
  readonly limit: number
}

/** The hosts file of this system. */
const HOSTS_FILE =
  process.platform === "win32"
    ? join(process.env.SystemRoot ?? "C:\\Windows", "System32", "drivers", "etc", "hosts")
    : "/etc/hosts"

/** The search domains of a Unix-like system. */
const SEARCH_FILE = "/etc/resolv.conf"

/** A hosts file has kilobytes; a block list in its place is not read beyond this. */
const MAX_FILE_BYTES = 1_048_576

/** Codes of c-ares: the name has no address, or there is no name server. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"])
/** Codes after which the next search domain is tried, among them a failing zone. */
const ASK_ON = new Set([...UNKNOWN, "ESERVFAIL", "EREFUSED"])

const address = (text: string): LookupAddress => ({ address: text, family: isIP(text) })

/**
 * The IPv4 address of a host that is written as one to four numbers, decimal, octal or hexadecimal, such as
 * `127.1` or `0x7f000001` (WHATWG URL, "IPv4 parser"). It is an address, so no name server is asked.
 */
const ipv4Of = (host: string): string | undefined => {
  if (host.length > 64 || !/^[0-9a-fx.]+$/i.test(host) || !URL.canParse(`http://${host}`)) return undefined
  const { hostname } = new URL(`http://${host}`)
  return isIP(hostname) === 4 ? hostname : undefined
}

/** The addresses that the text of a hosts file has for a name, in their order. */
export const hostsEntries = (text: string, host: string): ReadonlyArray<LookupAddress> => {
  const name = host.toLowerCase()
  const found: Array<LookupAddress> = []
  for (const line of text.split("\n")) {
    const [entry = ""] = line.split("#", 1)
    const [first = "", ...names] = entry.split(/\s/).filter((word) => word !== "")
    if (isIP(first) !== 0 && names.some((each) => each.toLowerCase() === name)) found.push(address(first))
  }
  return found
}

/** The settings of resolv.conf(5) for names that are not fully qualified. */
interface Search {
  readonly domains: ReadonlyArray<string>
  /** A name with at least this many dots is first looked up as it is. */
  readonly dots: number
}

const MAX_DOTS = 15

/** The search domains in the text of a resolv.conf; the last such line counts. */
const searchOf = (text: string): Search => {
  let domains: ReadonlyArray<string> = []
  let dots = 1
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line.split(/\s+/).filter((word) => word !== "")
    if (keyword === "search") domains = values
    else if (keyword === "domain") domains = values.slice(0, 1)
    else if (keyword === "options")
      for (const value of values) {
        const [, digits] = /^ndots:(\d+)$/.exec(value) ?? []
        if (digits !== undefined) dots = Math.min(Number(digits), MAX_DOTS)
      }
  }
  return {
    domains: domains.map((domain) => domain.replace(/\.$/, "")).filter((domain) => domain !== ""),
    dots
  }
}

/** The fully qualified names to try for a host, in order; a name that ends with a dot is already one. */
export const searchedNames = (text: string, host: string): ReadonlyArray<string> => {
  if (host.endsWith(".")) return [host.slice(0, -1)]
  const { domains, dots } = searchOf(text)
  const searched = domains.map((domain) => `${host}.${domain}`)
  return host.split(".").length > dots ? [host, ...searched] : [...searched, host]
}

/** The text of a file; empty if it cannot be read. */
const readText = async (file: string): Promise<string> => {
  try {
    return (await readFile(file, "utf8")).slice(0, MAX_FILE_BYTES)
  } catch {
    return ""
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""

const asError = (error: unknown): NodeJS.ErrnoException =>
  error instanceof Error ? error : new Error(String(error))

/** Addresses of both families; fails with the name servers' error if there are none. */
const askServers = async (resolver: Resolver, host: string): Promise<ReadonlyArray<LookupAddress>> => {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [four, six].flatMap((each) => (each.status === "fulfilled" ? each.value.map(address) : []))
  if (found.length > 0) return found
  // A time-out explains more than a missing record.
  const failures = [four, six].flatMap(
    (each): ReadonlyArray<unknown> => (each.status === "rejected" ? [each.reason] : [])
  )
  throw (
    failures.find((reason) => !UNKNOWN.has(codeOf(reason))) ??
    failures[0] ??
    new Error(`${host} has no address`)
  )
}

/**
 * Tries one name after the other until one has an address. Fails with the error of the host's own name,
 * unless another error explains more.
 */
const askEach = async (
  resolver: Resolver,
  host: string,
  names: ReadonlyArray<string>
): Promise<ReadonlyArray<LookupAddress>> => {
  let said: unknown
  for (const name of names) {
    try {
      return await askServers(resolver, name)
    } catch (error) {
      if (!ASK_ON.has(codeOf(error))) throw error
      if (said === undefined || (name === host && UNKNOWN.has(codeOf(said)))) said = error
    }
  }
  throw said
}

/** Makes a resolver of names; `localhost` is this machine (RFC 6761). */
export const makeHostResolver = ({
  hostsFile,
  searchFile,
  servers,
  timeout,
  limit
}: HostResolverOptions): Resolve => {
  const find = async (host: string): Promise<ReadonlyArray<LookupAddress>> => {
    const numeric = ipv4Of(host)
    if (numeric !== undefined) return [address(numeric)]
    const known = hostsEntries(await readText(hostsFile), host)
    if (known.length > 0) return known
    if (/(^|\.)localhost\.?$/i.test(host)) return [address("127.0.0.1"), address("::1")]
    const names = searchedNames(await readText(searchFile), host)
    const resolver = new Resolver({ timeout, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const late = setTimeout(() => resolver.cancel(), limit)
    try {
      return await askEach(resolver, host, names)
    } finally {
      clearTimeout(late)
    }
  }

  return (host, done) => {
    find(host).then(
      (addresses) => done(null, addresses),
      (error: unknown) => done(asError(error), [])
    )
  }
}

/**
 * The resolver of this system: five seconds for each query, as the system's own has, two tries, fifteen
 * seconds in all.
 */
export const systemResolver = (): Resolve =>
  makeHostResolver({ hostsFile: HOSTS_FILE, searchFile: SEARCH_FILE, timeout: 5_000, limit: 15_000 })
