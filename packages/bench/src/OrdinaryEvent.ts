/**
 * Events as a service records them, some 590 bytes each: an idempotency key, a session, one target, eleven
 * words of free text, a change. A few values are common and most are rare. The same index always gives the
 * same event.
 */

const WORDS =
  `abroad accept adviser agenda agent aisle album alias ample anchor annex annual answer appeal aspect
assign assist asset author autumn average badge bakery ballot barrel basic basket beacon benefit binder
blanket board border bottle branch breeze bridge broker bronze browser bucket buffer builder bureau cabinet
calendar campus candle canvas capital captain cargo carrier catalog ceiling census centre chapter charter cheque
circle citizen clause clinic coastal collect colony column comfort common concert consult context copper corner
corridor council counter courier course cousin credit crystal culture current cushion custom cycle daily debate
decade defect degree deposit depot desktop detail device differ digest dinner direct discount display district
doctor donor drawer driver dynamic eastern economy edition effect element embassy engine enquiry entrance equal
essay estate evening exact example exempt exhibit expert explain express fabric factory faculty fashion festival
fiction figure filter finish fixture flight flower focus foreign formal fortune forward founder fragment freight
friend furnace future gallery garage garden gateway general genuine glossary gravel grocery growth guide hammer
harbour harvest heading height helper holiday honest hotel household humble hybrid idea import impulse income
index industry inform initial inquiry inside insight install insure intake interim island journal journey judge
junction keyboard kitchen ladder landing lantern laptop lecture legacy lesson letter liaison liberty library
licence limit liquid lobby locker logic lumber machine mailbox manual margin marine market master meadow measure`.split(
    /\s+/
  )
const NAMES = `Amina Bjarne Carmen Dmitri Elena Fatima Goran Hana Ines Jonas Kofi Leila Mateo Nadia Olga Pavel
Quentin Rosa Sven Tomas`.split(/\s+/)
const RESOURCES =
  "ticket contract account dashboard pipeline secret mailbox shipment ledger session device refund".split(" ")
const VERBS = "opened changed closed assigned removed restored signed printed merged".split(" ")

const ACTORS = 5_000
const TENANTS = 300
const RESOURCE_IDS = 1_000_000
/** Sessions that an actor has at a time. */
const SESSIONS = 4

/** A term that every tenth of {@link ordinaryBody} has in its text. */
export const COMMON_TERM = "reconciliation"
/** A term that every 100,000th of them has, the first one among them. */
export const RARE_TERM = "embezzlement"

/** Numbers in [0, 1) that depend on the index alone: a counter through MurmurHash3's finalizer, twice. */
const randomOf = (index: number) => {
  let counter = Math.imul(index + 1, 0x9e3779b1)
  return (): number => {
    counter = (counter + 0x6a09e667) | 0
    let hash = counter
    for (let round = 0; round < 2; round++) {
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
      hash ^= hash >>> 16
    }
    return (hash >>> 0) / 2 ** 32
  }
}

const pick = <A>(values: ReadonlyArray<A>, share: number): A => {
  const value = values[Math.floor(share * values.length)]
  if (value === undefined) throw new RangeError("a share is less than one")
  return value
}

/** The value of an index that an event with it may have, so that rows can ask for it. */
export const values = {
  actor: (index: number): string => `user_${index}`,
  tenant: (index: number): string => `org_${index}`,
  resource: (index: number): string => RESOURCES[index] ?? "",
  verb: (index: number): string => VERBS[index] ?? "",
  resourceId: (resource: string, index: number): string => `${resource}_${index.toString(36)}`
}

/** The body without its idempotency key: for logs that are filled without requests. */
export const ordinaryBody = (index: number) => {
  const random = randomOf(index)
  const below = (count: number) => Math.floor(random() * count)
  /** The first are a hundred times as common as the last. */
  const skewed = (count: number) => Math.floor(count * random() ** 3)
  const hex = (digits: number) => {
    let text = ""
    while (text.length < digits)
      text += Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0")
    return text.slice(0, digits)
  }
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS, random())).join(" ")
  const state = () => ({ status: WORDS[below(40)], limit: below(1_000) })

  const actor = skewed(ACTORS)
  const resource = values.resource(skewed(RESOURCES.length))
  const planted = [...(index % 10 === 0 ? [COMMON_TERM] : []), ...(index % 100_000 === 0 ? [RARE_TERM] : [])]
  return {
    actor_id: values.actor(actor),
    actor_name: `${NAMES[actor % NAMES.length]} ${WORDS[actor % WORDS.length]}`,
    actor_type: "user",
    action: `${resource}.${values.verb(skewed(VERBS.length))}`,
    resource,
    resource_id: values.resourceId(resource, skewed(RESOURCE_IDS)),
    resource_name: words(2),
    tenant_id: values.tenant(skewed(TENANTS)),
    session_id: `sess_${(actor * SESSIONS + below(SESSIONS)).toString(36)}_${hex(8)}`,
    targets: [{ type: pick(RESOURCES, random()), id: hex(10), name: words(2) }],
    metadata: {
      request_id: hex(16),
      reason: [...planted, words(9 - planted.length)].join(" "),
      before: state(),
      after: state(),
      ok: random() < 0.98
    }
  }
}

/** What stands in a body for the part of its key that differs from run to run: eight hexadecimal digits. */
export const KEY_PLACE = "KEYPLACE"

/** The body of a request, whose idempotency key begins with {@link KEY_PLACE}. */
export const keyedBody = (index: number) => ({
  ...ordinaryBody(index),
  idempotency_key: `${KEY_PLACE}-${index.toString(16).padStart(12, "0")}-4a7d-9c31-5be0f2a86d14`
})
