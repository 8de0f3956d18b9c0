/**
 * Certificates for tests, made when they are needed: X.509 version 3 (RFC 5280) in DER, with ECDSA over
 * P-256, by an authority that exists for as long as the process.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

const tlv = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.from([tag, ...size]), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => tlv(0x30, ...parts)
const hex = (text: string): Buffer => Buffer.from(text, "hex")

/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2. */
const ALGORITHM = sequence(tlv(0x06, hex("2a8648ce3d040302")))
/** One relative name of type commonName, 2.5.4.3. */
const name = (text: string): Buffer =>
  sequence(tlv(0x31, sequence(tlv(0x06, hex("550403")), tlv(0x0c, Buffer.from(text)))))
const time = (date: Date): Buffer =>
  tlv(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`))
const extension = (oid: string, value: Uint8Array): Buffer => sequence(tlv(0x06, hex(oid)), tlv(0x04, value))

/** subjectAltName, 2.5.29.17: names, or IPv4 addresses. */
const alternatives = (hosts: ReadonlyArray<string>): Buffer =>
  extension(
    "551d11",
    sequence(
      ...hosts.map((host) =>
        /^[\d.]+$/.test(host)
          ? tlv(0x87, Uint8Array.from(host.split(".").map(Number)))
          : tlv(0x82, Buffer.from(host))
      )
    )
  )
/** basicConstraints, 2.5.29.19: may issue. */
const ISSUER = extension("551d13", sequence(tlv(0x01, Uint8Array.of(0xff))))

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n")}\n-----END ${label}-----\n`

interface Wanted {
  readonly subject: string
  readonly issuer: string
  readonly key: KeyObject
  readonly signer: KeyObject
  readonly extensions: ReadonlyArray<Buffer>
  readonly from: Date
  readonly to: Date
}

const issue = ({ subject, issuer, key, signer, extensions, from, to }: Wanted): string => {
  const body = sequence(
    tlv(0xa0, tlv(0x02, Uint8Array.of(2))),
    tlv(0x02, Uint8Array.of(1), randomBytes(8)),
    ALGORITHM,
    name(issuer),
    sequence(time(from), time(to)),
    name(subject),
    key.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(...extensions))
  )
  const signature = sign("sha256", body, signer)
  return pem("CERTIFICATE", sequence(body, ALGORITHM, tlv(0x03, Uint8Array.of(0), signature)))
}

const DAY = 86_400_000
const keys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })

const root = keys()
const AUTHORITY = "Cairn test authority"
const around = () => ({ from: new Date(Date.now() - DAY), to: new Date(Date.now() + DAY) })

/** The authority, as PEM. */
export const authority = issue({
  subject: AUTHORITY,
  issuer: AUTHORITY,
  key: root.publicKey,
  signer: root.privateKey,
  extensions: [ISSUER],
  ...around()
})

/** A server's certificate and key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Issues a certificate for `hosts`, valid today unless said otherwise. */
export const certificate = (
  hosts: ReadonlyArray<string>,
  validity: { readonly from: Date; readonly to: Date } = around()
): Certificate => {
  const { publicKey, privateKey } = keys()
  return {
    cert: issue({
      subject: hosts[0] ?? "",
      issuer: AUTHORITY,
      key: publicKey,
      signer: root.privateKey,
      extensions: [alternatives(hosts)],
      ...validity
    }),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
