/** Sprig's certificate functions, which return a struct with a certificate and its key in PEM. */

import { decodeBase64 } from "../_base64.ts";
import { fromBytes, toBytes } from "../../data/bytes.ts";
import { sprint } from "../fmt.ts";
import {
  FunctionError,
  type FunctionMap,
  goFunction,
  type GoType,
  recover,
  STRING,
  Typed,
  wrapError,
} from "../value.ts";
import { parseAddr } from "../netip.ts";
import { HOUR } from "../time.ts";
import { bytesToBigint } from "./_der.ts";
import type { SprigHost } from "./_host.ts";
import { formatPrivateKey, generateKey, parsePrivateKey, type PrivateKey } from "./_keys.ts";
import { decodePem, encodePem } from "./_pem.ts";
import { createCertificate, type Issuer, parseCertificate } from "./_x509.ts";

/** The maximum number of names and addresses in a certificate. Let's Encrypt allows a hundred. */
const MAX_NAMES = 1000;

/** The bare value of the struct. */
interface Certificate {
  readonly Cert?: string;
  readonly Key?: string;
}

/** Sprig's `certificate` struct. Templates can see its two fields. */
const CERTIFICATE: GoType = {
  name: "sprig.certificate",
  kind: "struct",
  fields: new Map([
    ["Cert", { name: "Cert", json: "Cert", type: () => STRING }],
    ["Key", { name: "Key", json: "Key", type: () => STRING }],
  ]),
};

const TYPES = { certificate: CERTIFICATE };

/** The subject of a certificate, and its lifetime in days. */
interface Subject {
  readonly commonName: string;
  readonly addresses: readonly unknown[] | null;
  readonly dnsNames: readonly unknown[] | null;
  readonly days: number;
}

export function certificateFunctions(host: SprigHost): FunctionMap {
  const newKey = () => generateKey(host, "rsa2048");
  const givenKey = (pem: string) =>
    wrapError("parsing private key", () => parsePrivateKey(host, pem));
  const newCa = (commonName: string, days: number, key: PrivateKey) =>
    issue(host, { commonName, addresses: null, dnsNames: null, days }, { key, isCa: true });
  return {
    buildCustomCert: goFunction(
      "string, string",
      (certificate: string, key: string) => buildCustom(host, certificate, key),
    ),
    genCA: goFunction(
      "string, int",
      (commonName: string, days: number) => newCa(commonName, days, newKey()),
    ),
    genCAWithKey: goFunction(
      "string, int, string",
      (commonName: string, days: number, key: string) => newCa(commonName, days, givenKey(key)),
    ),
    genSelfSignedCert: goFunction(
      "string, []any, []any, int",
      (...subject: SubjectArguments) => issue(host, toSubject(subject), { key: newKey() }),
    ),
    genSelfSignedCertWithKey: goFunction(
      "string, []any, []any, int, string",
      (...[commonName, addresses, dnsNames, days, key]: [...SubjectArguments, string]) =>
        issue(host, { commonName, addresses, dnsNames, days }, { key: givenKey(key) }),
    ),
    genSignedCert: goFunction(
      "string, []any, []any, int, certificate",
      (...[commonName, addresses, dnsNames, days, ca]: [...SubjectArguments, Certificate]) =>
        issueBy(host, { commonName, addresses, dnsNames, days }, { key: newKey(), ca }),
      TYPES,
    ),
    genSignedCertWithKey: goFunction(
      "string, []any, []any, int, certificate, string",
      (
        ...[commonName, addresses, dnsNames, days, ca, key]: [
          ...SubjectArguments,
          Certificate,
          string,
        ]
      ) => issueBy(host, { commonName, addresses, dnsNames, days }, { key: givenKey(key), ca }),
      TYPES,
    ),
  };
}

type SubjectArguments = [
  commonName: string,
  addresses: readonly unknown[] | null,
  dnsNames: readonly unknown[] | null,
  days: number,
];

function toSubject([commonName, addresses, dnsNames, days]: SubjectArguments): Subject {
  return { commonName, addresses, dnsNames, days };
}

/** Checks a given certificate and key. */
function buildCustom(host: SprigHost, certificate64: string, key64: string): Typed {
  const certificate = decodeOr(certificate64, "unable to decode base64 certificate");
  const key = decodeOr(key64, "unable to decode base64 private key");
  const block = decodePem(certificate);
  if (!block) throw new FunctionError("unable to decode certificate");
  wrapError(
    "error parsing certificate: decodedCert.Bytes",
    () => parseCertificate(block.bytes),
  );
  wrapError("error parsing private key", () => parsePrivateKey(host, key));
  return new Typed(CERTIFICATE, { Cert: certificate, Key: key });
}

function decodeOr(base64: string, message: string): string {
  return recover(() => fromBytes(decodeBase64(toBytes(base64))), () => {
    throw new FunctionError(message);
  });
}

function issueBy(
  host: SprigHost,
  subject: Subject,
  { key, ca }: { readonly key: PrivateKey; readonly ca: Certificate },
): Typed {
  const block = decodePem(ca.Cert ?? "");
  if (!block) throw new FunctionError("unable to decode certificate");
  const issuer = wrapError(
    "error parsing certificate: decodedSignerCert.Bytes",
    () => parseCertificate(block.bytes),
  );
  const signer = wrapError("error parsing private key", () => parsePrivateKey(host, ca.Key ?? ""));
  return issue(host, subject, { key, signer, issuer });
}

function issue(
  host: SprigHost,
  subject: Subject,
  by: {
    readonly key: PrivateKey;
    readonly signer?: PrivateKey;
    readonly issuer?: Issuer;
    readonly isCa?: boolean;
  },
): Typed {
  const { key, signer = key, issuer, isCa = false } = by;
  const addresses = readAddresses(subject.addresses ?? []);
  const dnsNames = readDnsNames(subject.dnsNames ?? []);
  if (addresses.length + dnsNames.length > MAX_NAMES) {
    throw new FunctionError(`certificate with more than ${MAX_NAMES} names`);
  }
  const notBefore = host.now();
  // Go's durations wrap around, so a certificate for 300 years ends before it starts.
  const lifetime = BigInt.asIntN(64, 24n * HOUR * BigInt(subject.days));
  const certificate = wrapError(
    "error creating certificate",
    () =>
      createCertificate(host, {
        commonName: subject.commonName,
        addresses,
        dnsNames,
        notBefore,
        notAfter: notBefore + lifetime,
        serial: bytesToBigint(host.randomBytes(16)),
        isCa,
      }, { key, signer, issuer }),
  );
  return new Typed(CERTIFICATE, {
    Cert: encodePem({ type: "CERTIFICATE", bytes: certificate }),
    Key: formatPrivateKey(key),
  });
}

function readAddresses(values: readonly unknown[]): Uint8Array[] {
  return values.map((value) => {
    if (typeof value !== "string") {
      throw new FunctionError(`error parsing ip: ${sprint([value])} is not a string`);
    }
    const address = recover(() => parseAddr(value), () => undefined);
    if (address?.zone === "") return address.bytes;
    throw new FunctionError(`error parsing ip: ${value}`);
  });
}

function readDnsNames(values: readonly unknown[]): string[] {
  return values.map((value) => {
    if (typeof value === "string") return value;
    throw new FunctionError(
      `error processing alternate dns name: ${sprint([value])} is not a string`,
    );
  });
}
