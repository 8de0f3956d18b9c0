/**
 * Resolves host names without `getaddrinfo`, which occupies a thread of the process for as long as a name server is silent, and of which two
 * run at a time: two names with servers that hang would hold up every other.
 *
 * The order is the usual one: the hosts file, then the name servers. A name that those do not know is asked of the system all the same, which
 * knows search domains and other sources, but one such name at a time, so that they hold up each other at most.
 */
import { type LookupAddress, lookup as systemLookup } from "node:dns"
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
export interface HostResolverOptions {
  /** The hosts file (hosts(5)). */
  readonly hostsFile: string
  /** Addresses of name servers, as `dns.setServers` takes them; the system's own unless set. */
  readonly servers?: ReadonlyArray<string>
  /** Milliseconds until a name server that is silent is asked again, which happens once. */
  readonly timeout: number
  /** Who is asked last. */
  readonly system: Resolve
}

/** The hosts file of this system. */
const HOSTS_FILE =
  process.platform === "win32"
    ? join(process.env.SystemRoot ?? "C:\\Windows", "System32", "drivers", "etc", "hosts")
    : "/etc/hosts"

/** A hosts file is kilobytes; a block list in its place is not read past this. */
const MAX_HOSTS_BYTES = 1_048_576

/** A code of c-ares by which the name servers say that they know of no address, or that there is no name server at all. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"])

const address = (text: string): LookupAddress => ({ address: text, family: isIP(text) })

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

const readHosts = async (file: string, host: string): Promise<ReadonlyArray<LookupAddress>> => {
  try {
    const text = await readFile(file, "utf8")
    return hostsEntries(text.slice(0, MAX_HOSTS_BYTES), host)
  } catch {
    return []
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""

const asError = (error: unknown): NodeJS.ErrnoException =>
  error instanceof Error ? error : new Error(String(error))

/** Addresses of both families; fails with what the name servers said if there is none of either. */
const askServers = async (resolver: Resolver, host: string): Promise<ReadonlyArray<LookupAddress>> => {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [four, six].flatMap((each) => (each.status === "fulfilled" ? each.value.map(address) : []))
  if (found.length > 0) return found
  // One that hangs says more than one that has none.
  const failures = [four, six].flatMap(
    (each): ReadonlyArray<unknown> => (each.status === "rejected" ? [each.reason] : [])
  )
  throw (
    failures.find((reason) => !UNKNOWN.has(codeOf(reason))) ??
    failures[0] ??
    new Error(`${host} has no address`)
  )
}

/** Makes a resolver of names. Of silence it makes an error after at most twice the timeout; `localhost` is this machine (RFC 6761). */
export const makeHostResolver = ({ hostsFile, servers, timeout, system }: HostResolverOptions): Resolve => {
  // What is asked of the system waits here for the one before it.
  let last: Promise<unknown> = Promise.resolve()
  const askSystem = (host: string): Promise<ReadonlyArray<LookupAddress>> => {
    const asked = last.then(
      () =>
        new Promise<ReadonlyArray<LookupAddress>>((resolve, reject) =>
          system(host, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
        )
    )
    last = asked.catch(() => {})
    return asked
  }

  const find = async (host: string): Promise<ReadonlyArray<LookupAddress>> => {
    const known = await readHosts(hostsFile, host)
    if (known.length > 0) return known
    if (/(^|\.)localhost$/i.test(host)) return [address("127.0.0.1"), address("::1")]
    const resolver = new Resolver({ timeout, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    try {
      return await askServers(resolver, host)
    } catch (error) {
      if (!UNKNOWN.has(codeOf(error))) throw error
      return await askSystem(host)
    }
  }

  return (host, done) => {
    find(host).then(
      (addresses) => done(null, addresses),
      (error: unknown) => done(asError(error), [])
    )
  }
}

/** The resolver of this system: five seconds for a silent name server, as its own resolver has, asked twice. */
export const systemResolver = (): Resolve =>
  makeHostResolver({
    hostsFile: HOSTS_FILE,
    timeout: 5_000,
    system: (host, done) => systemLookup(host, { all: true }, done)
  })
