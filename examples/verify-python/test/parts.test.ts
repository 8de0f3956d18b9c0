/**
 * The parts that the verifier in Python has of its own, each against vectors and against the ones in
 * TypeScript.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { canonicalize, Micros, StrictJson } from "@cairn/core/encoding"
import { EvidenceReader } from "@cairn/core/evidence"
import { testBundle, testLog } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { portableEd25519 } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { type Hex, parseTransaction, recoverTransactionAddress } from "viem"
import { signer, signerOf } from "../../../packages/verifier/test/Bundles.ts"
import { foreign, foreignBlocks, fromHex } from "../../../packages/verifier/test/ethereum/ForeignBlocks.ts"
import { because, program, usable } from "./Python.ts"

/**
 * Calls a function of the module with each of these lists of arguments, of which texts that begin with `hex:`
 * are bytes.
 */
const DRIVER = `
import json, struct, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(dirname(program))})
import verify
def value(one):
    return bytes.fromhex(one[4:]) if type(one) is str and one.startswith("hex:") else one
def work():
    return verify.Work()
def canonical(data, deepest):
    try:
        verify.parse_json(work(), data, deepest)
        return True
    except verify.Malformed:
        return False
def content(data):
    try:
        verify.parse_content(work(), data)
        return True
    except verify.Malformed:
        return False
def number(data):
    try:
        return verify.number_text(struct.unpack(">d", data)[0])
    except verify.Malformed:
        return None
def note(data, keys):
    trusted = []
    for key in keys:
        try:
            trusted.append(verify.parse_verifier_key(work(), key))
        except ValueError:
            pass
    try:
        parsed = verify.parse_note(data.decode())
    except (verify.Malformed, ValueError):
        return "reject-malformed"
    try:
        return "ok" if verify.signers(work(), parsed, trusted) else "reject-unverified"
    except verify.Malformed:
        return "reject-invalid-signature"
def keccak(data):
    return verify.keccak256(work(), data).hex()
def moment(text):
    return verify.moment(text)
def transaction(raw):
    try:
        found = verify.read_transaction(work(), raw)
    except verify.Malformed:
        return None
    return [found.chain_id, found.sender.hex(), found.to.hex(), str(found.value), found.data.hex()]
def included(header, index, proof, raw):
    try:
        number, at, root = verify.read_block(header)
        nodes = [bytes.fromhex(one) for one in proof]
        return [number, at] if verify.trie_value(work(), root, verify.rlp_number(index), nodes) == raw else None
    except verify.Malformed:
        return None
def ed25519(key, message, signature):
    return verify.ed25519_verify(key, message, signature)
call = globals()[sys.argv[1]]
for line in sys.stdin:
    print(json.dumps(call(*map(value, json.loads(line)))))
`

type Argument = string | number | ReadonlyArray<string>

const hex = (bytes: Uint8Array | string) => `hex:${Buffer.from(bytes).toString("hex")}`

const call = (name: string, calls: ReadonlyArray<ReadonlyArray<Argument>>): ReadonlyArray<unknown> => {
  const input = calls.map((args) => `${JSON.stringify(args)}\n`).join("")
  const { stdout, stderr } = spawnSync("python3", ["-c", DRIVER, name], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  assert.strictEqual(stderr, "")
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** Whether TypeScript finds a text to be the canonical JSON of a line. */
const isCanonical = (text: string, deepest: number): boolean => {
  const parsed = StrictJson.parse(text)
  if (Result.isFailure(parsed)) return false
  const canonical = canonicalize(parsed.success, deepest)
  return Result.isSuccess(canonical) && canonical.success === text
}

const [honestHeader = ""] = testBundle(testLog({ events: 1 }), { signer })
const TAIL =
  `,"content_hash":"${"a".repeat(64)}","created_at":"2024-05-01T12:00:00.000000Z","event_hash":"${"a".repeat(64)}",` +
  `"id":"00000000-0000-4000-8000-000000000000","previous_event_hash":null,"salt":"${"a".repeat(32)}","sequence":1,"type":"event"}\n`

/** Whether TypeScript finds some bytes to be the canonical JSON of an event's content. */
const isContent = (content: Uint8Array): boolean => {
  let canonical = false
  const reader = new EvidenceReader((line) => {
    if (line.type === "event") canonical = line.canonical
  })
  reader.feed(Buffer.concat([Buffer.from(`${honestHeader}{"content":`), content, Buffer.from(TAIL)]))
  return canonical
}

const content = (metadata: string) =>
  '{"action":"a.b","action_category":null,"actor":{"id":"ada","name":null,"type":null},"idempotency_key":null,' +
  `"ip_city":null,"ip_country":null,"metadata":${metadata},"occurred_at":"2024-05-01T12:00:00.000000Z",` +
  '"resource":{"id":null,"name":null,"type":null},"session_id":null,"targets":[],"tenant_id":null,"version":null}'

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`

/** Texts that are canonical, and texts that are nearly. */
const spellings: ReadonlyArray<string> = [
  ...[
    "0",
    "-0",
    "0.0",
    "1",
    "-1",
    "01",
    "1.0",
    "1.5",
    "1.50",
    "-1.5",
    ".5",
    "5.",
    "+1",
    "1e3",
    "1e21",
    "1e+21",
    "1E+21"
  ],
  ...[
    "1e+22",
    "1.5e+300",
    "1e-7",
    "1e-07",
    "0.000001",
    "0.0000001",
    "1e400",
    "-1e400",
    "NaN",
    "Infinity",
    "-Infinity"
  ],
  ...[
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740992",
    "100000000000000000000"
  ],
  ...[
    "123456789012345680000",
    "123456789012345678901",
    "5e-324",
    "4e-324",
    "2.2250738585072014e-308",
    "0.1",
    "0.30000000000000004"
  ],
  ...[
    "333333333.3333333",
    "333333333.33333329",
    "1.7976931348623157e+308",
    "1.7976931348623159e+308",
    "\u0661",
    "1".repeat(5_000)
  ],
  ...[
    '""',
    '"a"',
    '"\\n"',
    '"\\u000a"',
    '"\\u000A"',
    '"\\u001f"',
    '"\\u001F"',
    '"\\u007f"',
    '"\u007f"',
    '"\\/"',
    '"/"'
  ],
  ...[
    '"\\""',
    '"\\\\"',
    '"\\\\\\""',
    '"\\b\\f\\n\\r\\t"',
    '"\\v"',
    '"\\u0041"',
    '"\\ud83d\\ude00"',
    '"\u{1f600}"',
    '"\\ud800"'
  ],
  ...['"\u2028"', '"\ufeff"', '"\t"', '"\n"', '"a', 'a"', '"\\"', '"\\u00"', '"é"', '"e\u0301"', '"\u0000"'],
  ...[
    "[]",
    "{}",
    "[1,2]",
    "[1, 2]",
    "[1,2,]",
    "[,]",
    "{ }",
    "[1\n]",
    " 1",
    "1 ",
    "\t1",
    "[1}",
    "{]",
    "[[]",
    "]",
    "[",
    "{",
    ""
  ],
  ...["null", "true", "false", "nul", "Null", "undefined", "truefalse", "[true false]", "[nullnull]"],
  ...[
    '{"a":1}',
    '{"a":1,"b":2}',
    '{"b":1,"a":2}',
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    '{"":1}',
    '{"a":}',
    '{"a"}',
    "{a:1}",
    "{1:1}"
  ],
  ...[
    '{"A":1,"a":2}',
    '{"a":1,"A":2}',
    '{"1":1,"10":2,"2":3}',
    '{"10":1,"2":2,"1":3}',
    '{"__proto__":1}',
    '{"a":1,"__proto__":{}}'
  ],
  ...[
    '{"\u{1f600}":1,"\uffff":2}',
    '{"\uffff":1,"\u{1f600}":2}',
    '{"\ue000":1,"\ud7ff":2}',
    '{"\\n":1,"a":2}',
    '{"a":1,"\\n":2}'
  ],
  ...[
    '{"\\"":1,"a":2}',
    '{"a\\\\":1,"a\\"":2}',
    '{"a\\"":1,"a\\\\":2}',
    '{"\u0080":1,"~":2}',
    '{"~":1,"\u0080":2}'
  ],
  ...[
    "1 2",
    "[1]2",
    "{}{}",
    '"a""b"',
    "//",
    "/**/1",
    "[1,//\n2]",
    "'a'",
    "\ufeff1",
    "1\u0000",
    "[1\u00a0]",
    "[1\u2028]",
    "\v1"
  ],
  ...[64, 65, 66, 80, 81, 82, 500, 5_000, 100_000].flatMap((depth) => [
    nested(depth),
    `${"[".repeat(depth)}${"]".repeat(depth)}`
  ])
]

/** A canonical text with one thing changed. */
const nearly = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom("", ...' 0-.eE+"\\,:[]{}antu1\u00e9\u{1f600}'))
  .map(([json, at, other]) => {
    const text = Result.getOrThrow(canonicalize(JSON.parse(json)))
    return [
      text,
      text.slice(0, at % (text.length + 1)) + other + text.slice((at % (text.length + 1)) + (at % 2))
    ]
  })

/** Where `CAIRN_SEED` gives none. */
const SEED = 12

const generated = generatedTests(import.meta.url)

describe.skipIf(!usable)(`canonical JSON in Python${because}`, () => {
  it("takes the texts that TypeScript takes, and no other", () => {
    for (const deepest of [80, 3]) {
      const expected = spellings.map((text) => isCanonical(text, deepest))
      assert.deepStrictEqual(
        call(
          "canonical",
          spellings.map((text) => [hex(text), deepest])
        ).map((found, index) => [spellings[index]?.slice(0, 99), found]),
        expected.map((found, index) => [spellings[index]?.slice(0, 99), found])
      )
      assert.includeMembers(expected, [true, false])
    }
  })

  it("takes the contents that TypeScript takes, and no other", () => {
    const contents = [...spellings.map((text) => content(`{"m":${text}}`)), ...spellings.map(content)]
    const whole = content("{}")
    for (let at = 0; at < whole.length; at++) contents.push(whole.slice(0, at) + whole.slice(at + 1))
    for (const targets of [
      '[{"type":"a"}]',
      '[{"id":"1","metadata":{},"name":"n","type":"a"}]',
      '[{"id":null,"type":"a"}]',
      '[{"metadata":null,"type":"a"}]',
      '[{"type":"a","x":1}]',
      "[{}]",
      "[[]]",
      "null",
      `[{"metadata":${nested(64)},"type":"a"}]`,
      `[{"metadata":${nested(65)},"type":"a"}]`
    ]) {
      contents.push(whole.replace('"targets":[]', `"targets":${targets}`))
    }
    for (const version of ["1", "-1", "1.5", '"1"', "1e+21", "true"])
      contents.push(whole.replace('"version":null', `"version":${version}`))
    const expected = contents.map((text) => isContent(Buffer.from(text)))
    const found = call(
      "content",
      contents.map((text) => [hex(text)])
    )
    assert.deepStrictEqual(
      found.map((one, index) => [contents[index]?.slice(0, 300), one]),
      expected.map((one, index) => [contents[index]?.slice(0, 300), one])
    )
    assert.includeMembers(expected, [true, false])
  })

  it("takes no bytes that are not UTF-8", () => {
    const bytes = ["22ff22", "22c080 22", "22eda080 22", "22f4908080 22", "22c3 22"].map((one) =>
      Buffer.from(one.replace(" ", ""), "hex")
    )
    assert.deepStrictEqual(
      call(
        "canonical",
        bytes.map((one) => [hex(one), 80])
      ),
      bytes.map(() => false)
    )
  })

  it("agrees with TypeScript on texts that were changed in one place", () =>
    generated.samples(nearly, { count: 3_000, seed: SEED }, (samples) => {
      const texts = samples.flat()
      const expected = texts.map((text) => isCanonical(text, 80))
      const found = call(
        "canonical",
        texts.map((text) => [hex(text), 80])
      )
      for (const [index, text] of texts.entries())
        assert.strictEqual(found[index], expected[index], JSON.stringify(text))
      assert.isAbove(expected.filter((one) => !one).length, 500)
    }))

  it("writes numbers as ECMAScript does", () =>
    generated.samples(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      {
        count: 3_000,
        seed: SEED
      },
      (numbers) => {
        const bytes = (value: number) => {
          const data = new DataView(new ArrayBuffer(8))
          data.setFloat64(0, value)
          return hex(new Uint8Array(data.buffer))
        }
        const found = call(
          "number",
          numbers.map((value) => [bytes(value)])
        )
        assert.deepStrictEqual(
          found,
          numbers.map((value) => (value === 0 ? "0" : String(value)))
        )
      }
    ))
})

describe.skipIf(!usable)(`times in Python${because}`, () => {
  it("are those of TypeScript", () => {
    const texts = [
      ...[
        "2024-02-29",
        "2023-02-29",
        "2000-02-29",
        "1900-02-29",
        "0000-01-01",
        "0000-02-29",
        "9999-12-31",
        "2024-13-01",
        "2024-00-01"
      ],
      ...[
        "2024-01-00",
        "2024-04-31",
        "1970-01-01",
        "1969-12-31",
        "0001-03-01",
        "1600-12-31",
        "2100-02-28"
      ].flatMap((day) => [
        day,
        `${day}T23:59:59.999999Z`,
        `${day}T00:00:00+01:30`,
        `${day}T24:00:00Z`,
        `${day} 12:60`
      ])
    ]
    assert.deepStrictEqual(
      call(
        "moment",
        texts.map((text) => [text])
      ),
      texts.map((text) => Micros.parse(text) ?? null)
    )
  })
})

/** RFC 8032 section 7.1: the key, the message and the signature. */
const RFC_8032 = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
  ],
  [
    "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
  ]
] as const

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const P = 2n ** 255n - 19n
const littleEndian = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n))
const fromLittleEndian = (bytes: Uint8Array) =>
  bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)

describe.skipIf(!usable)(`Ed25519 in Python${because}`, () => {
  const verified = (cases: ReadonlyArray<readonly [Uint8Array, Uint8Array, Uint8Array]>) =>
    call(
      "ed25519",
      cases.map((parts) => parts.map(hex))
    )
  const message = new TextEncoder().encode("cairn")
  const { publicKey, sign: signs } = signerOf(3)
  const signature = signs(message)

  it("takes the vectors of RFC 8032 section 7.1, and none of them changed", () => {
    const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))
    const cases = RFC_8032.map(([key, text, made]) => [bytes(key), bytes(text), bytes(made)] as const)
    assert.deepStrictEqual(
      verified(cases),
      cases.map(() => true)
    )
    const changed = cases.map(([key, text, made]) => [key, Uint8Array.of(...text, 0), made] as const)
    assert.deepStrictEqual(
      verified(changed),
      cases.map(() => false)
    )
  })

  it("takes and refuses what TypeScript takes and refuses", () => {
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
    const torsion = [
      new Uint8Array(32),
      littleEndian(1n),
      littleEndian(P - 1n),
      littleEndian(P),
      littleEndian(P + 1n),
      Uint8Array.from(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex")),
      Uint8Array.from(Buffer.from("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "hex"))
    ]
    const signed = (one: Uint8Array) => {
      const other = Uint8Array.from(one)
      other[31] = (other[31] ?? 0) ^ 0x80
      return other
    }
    const points = [
      ...torsion,
      ...torsion.map(signed),
      signed(publicKey),
      littleEndian(2n),
      new Uint8Array(32).fill(255)
    ]
    const zero = new Uint8Array(32)
    const cases: Array<readonly [Uint8Array, Uint8Array, Uint8Array]> = [
      [publicKey, message, signature],
      [publicKey, message.with(0, 0), signature],
      [signerOf(4).publicKey, message, signature],
      [publicKey, message, Buffer.concat([r, littleEndian(fromLittleEndian(s) + ORDER)])],
      [publicKey, message, Buffer.concat([r, littleEndian(ORDER)])],
      [publicKey, message, Buffer.concat([r, new Uint8Array(32).fill(255)])],
      [publicKey, message, signature.subarray(1)],
      [publicKey, message, Buffer.concat([signature, zero.subarray(0, 1)])],
      [publicKey.subarray(1), message, signature],
      [new Uint8Array(), new Uint8Array(), new Uint8Array()],
      ...points.map((point) => [point, message, signature] as const),
      ...points.map((point) => [point, message, Buffer.concat([point, zero])] as const),
      ...points.map((point) => [publicKey, message, Buffer.concat([point, s])] as const),
      ...points.map((point) => [publicKey, message, Buffer.concat([point, zero])] as const)
    ]
    for (let bit = 0; bit < 512; bit += 37) {
      cases.push([
        publicKey,
        message,
        signature.with(bit >> 3, (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
      ])
      cases.push([
        publicKey.with((bit >> 3) % 32, (publicKey[(bit >> 3) % 32] ?? 0) ^ (1 << (bit & 7))),
        message,
        signature
      ])
    }
    const expected = cases.map(([key, text, made]) => portableEd25519.verify(key, text, made))
    assert.deepStrictEqual(verified(cases), expected)
    assert.strictEqual(expected.filter((one) => one).length, 1)
  })

  it("takes the signatures that Node makes", () =>
    generated.samples(
      fc.tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 300 })),
      { count: 20, seed: SEED },
      (samples) => {
        const cases = samples.map(([seed, text]) => {
          const one = signerOf(seed)
          return [one.publicKey, text, one.sign(text)] as const
        })
        assert.deepStrictEqual(
          verified(cases),
          cases.map(() => true)
        )
      }
    ))
})

const Notes = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      note_b64: Schema.String,
      trusted_vkeys: Schema.Array(Schema.String),
      expect: Schema.String
    })
  )
)

describe.skipIf(!usable || foreign === undefined)(
  `other projects' vectors in Python (needs CAIRN_FOREIGN)${because}`,
  () => {
    const vectors = join(foreign ?? "", "vectors")

    it("signed notes", () => {
      const notes = Schema.decodeUnknownSync(Notes)(
        readFileSync(join(vectors, "tlog/signed-note-vectors.json"), "utf8")
      )
      const found = call(
        "note",
        notes.map(({ note_b64: note, trusted_vkeys: keys }) => [hex(Buffer.from(note, "base64")), keys])
      )
      assert.deepStrictEqual(
        found.map((one, index) => [notes[index]?.name, one]),
        notes.map(({ name, expect }) => [name, expect])
      )
    })

    it("canonical JSON", () => {
      const names = readdirSync(join(vectors, "jcs/output"))
      assert.isAbove(names.length, 4)
      const texts = names.map((name) => readFileSync(join(vectors, "jcs/output", name)))
      assert.deepStrictEqual(
        call(
          "canonical",
          texts.map((text) => [hex(text), 80])
        ),
        names.map(() => true)
      )
    })

    it("numbers", () => {
      const rows = readFileSync(join(vectors, "jcs/es6-numbers-1000.txt"), "utf8").trim().split("\n")
      const cases = rows.map((row) => row.trim().split(","))
      const found = call(
        "number",
        cases.map(([bits = ""]) => [`hex:${bits.padStart(16, "0")}`])
      )
      assert.deepStrictEqual(
        found,
        cases.map(([, text]) => (/^-?\d/.test(text ?? "") ? text : null))
      )
    })

    it("JSON that is none", () => {
      const folder = join(vectors, "json-parsing/test_parsing")
      const names = readdirSync(folder).filter((name) => name.startsWith("n_"))
      assert.isAbove(names.length, 100)
      const texts = names.map((name) => readFileSync(join(folder, name)))
      assert.deepStrictEqual(
        call(
          "canonical",
          texts.map((text) => [hex(text), 80])
        ),
        names.map(() => false)
      )
    })

    it("transactions of real blocks, and the proofs that they are in them", async () => {
      const digits = (text: string) => text.replace(/^0x/, "").toLowerCase()
      const raw: Array<string> = []
      const [hashes, transactions]: [Array<string>, Array<unknown>] = [[], []]
      const [proofs, places]: [Array<ReadonlyArray<Argument>>, Array<unknown>] = [[], []]
      for (const [
        ,
        { rawTransactions, txHashes, derivedProofs, headerRlp, header, number }
      ] of foreignBlocks()) {
        // A Keccak-256 takes Python a millisecond for each 136 bytes.
        for (const [index, text] of rawTransactions.entries()) {
          if (index > 8 || text.length > 2_000) continue
          raw.push(hex(fromHex(text)))
          hashes.push(digits(txHashes[index] ?? ""))
          if (text.startsWith("0x7e")) {
            transactions.push(null)
            continue
          }
          const { chainId = null, to, value = 0n, data = "" } = parseTransaction(text as Hex)
          const sender = await recoverTransactionAddress({ serializedTransaction: text as never })
          transactions.push([chainId, digits(sender), digits(to ?? ""), String(value), digits(data)])
        }
        for (const { index, nodes } of derivedProofs.slice(0, 3)) {
          const text = rawTransactions[index] ?? ""
          proofs.push([hex(fromHex(headerRlp)), index, nodes.map(digits), hex(fromHex(text))])
          places.push([number, Number(header.timestamp)])
        }
      }
      assert.isAbove(transactions.filter((one) => one !== null).length, 10)
      assert.isNotEmpty(proofs)
      const calls = raw.map((one) => [one])
      assert.deepStrictEqual(call("keccak", calls), hashes)
      assert.deepStrictEqual(call("transaction", calls), transactions)
      assert.deepStrictEqual(call("included", proofs), places)
    })
  }
)
