/** Sprig's certificates: pairs of a certificate and its key, in PEM, as the struct that Go returns. */

import { decodeBase64 } from "../_base64.ts";
import { fromBytes, toBytes } from "../bytes.ts";
import { sprint } from "../fmt.ts";
import {
  FunctionError,
  type FunctionMap,
  goFunction,
  type GoType,
  STRING,
  Typed,
} from "../value.ts";
import { bytesToBigint } from "./_der.ts";
import type { SprigHost } from "./_host.ts";
import { parseAddress } from "./_ip.ts";
import { formatPrivateKey, generateKey, parsePrivateKey, type PrivateKey } from "./_keys.ts";
import { decodePem, encodePem } from "./_pem.ts";
import { createCertificate, type Issuer, parseCertificate } from "./_x509.ts";

const NANOSECONDS_PER_DAY = 86_400_000_000_000n;
/** Names and addresses of one certificate; Let's Encrypt takes a hundred. */
const MAX_NAMES = 1000;

/** What stands for the struct. */
interface Certificate {
  readonly Cert?: string;
  readonly Key?: string;
}

/** The type is private to sprig; templates see its two fields. */
const CERTIFICATE: GoType = {
  name: "sprig.certificate",
  kind: "struct",
  fields: new Map([
    ["Cert", { name: "Cert", json: "Cert", type: () => STRING }],
    ["Key", { name: "Key", json: "Key", type: () => STRING }],
  ]),
};

const TYPES = { certificate: CERTIFICATE };

/** Who a certificate is for and for how long. */
interface Subject {
  readonly commonName: string;
  readonly addresses: readonly unknown[] | null;
  readonly dnsNames: readonly unknown[] | null;
  readonly days: number;
}

export function certificateFunctions(host: SprigHost): FunctionMap {
  const newKey = () => generateKey(host, "rsa2048");
  const givenKey = (pem: string) =>
    described("parsing private key", () => parsePrivateKey(host, pem));
  const authority = (commonName: string, days: number, key: PrivateKey) =>
    issue(host, { commonName, addresses: null, dnsNames: null, days }, { key, isAuthority: true });
  return {
    buildCustomCert: goFunction(
      "string, string",
      (certificate: string, key: string) => buildCustom(host, certificate, key),
    ),
    genCA: goFunction(
      "string, int",
      (commonName: string, days: number) => authority(commonName, days, newKey()),
    ),
    genCAWithKey: goFunction(
      "string, int, string",
      (commonName: string, days: number, key: string) => authority(commonName, days, givenKey(key)),
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

function described<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`${what}: ${error.message}`);
  }
}

/** Checks a pair that somebody else made. */
function buildCustom(host: SprigHost, certificate64: string, key64: string): Typed {
  const certificate = decodeOr(certificate64, "unable to decode base64 certificate");
  const key = decodeOr(key64, "unable to decode base64 private key");
  const block = decodePem(certificate);
  if (!block) throw new FunctionError("unable to decode certificate");
  described(
    "error parsing certificate: decodedCert.Bytes",
    () => parseCertificate(block.bytes),
  );
  described("error parsing private key", () => parsePrivateKey(host, key));
  return new Typed(CERTIFICATE, { Cert: certificate, Key: key });
}

function decodeOr(base64: string, complaint: string): string {
  try {
    return fromBytes(decodeBase64(toBytes(base64)));
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(complaint);
  }
}

function issueBy(
  host: SprigHost,
  subject: Subject,
  { key, ca }: { readonly key: PrivateKey; readonly ca: Certificate },
): Typed {
  const block = decodePem(ca.Cert ?? "");
  if (!block) throw new FunctionError("unable to decode certificate");
  const issuer = described(
    "error parsing certificate: decodedSignerCert.Bytes",
    () => parseCertificate(block.bytes),
  );
  const signer = described("error parsing private key", () => parsePrivateKey(host, ca.Key ?? ""));
  return issue(host, subject, { key, signer, issuer });
}

function issue(
  host: SprigHost,
  subject: Subject,
  by: {
    readonly key: PrivateKey;
    readonly signer?: PrivateKey;
    readonly issuer?: Issuer;
    readonly isAuthority?: boolean;
  },
): Typed {
  const { key, signer = key, issuer, isAuthority = false } = by;
  const addresses = readAddresses(subject.addresses ?? []);
  const dnsNames = readDnsNames(subject.dnsNames ?? []);
  if (addresses.length + dnsNames.length > MAX_NAMES) {
    throw new FunctionError(`certificate with more than ${MAX_NAMES} names`);
  }
  const notBefore = host.now();
  // Go's durations wrap around; a certificate for 300 years starts after its end.
  const lifetime = BigInt.asIntN(64, NANOSECONDS_PER_DAY * BigInt(subject.days));
  const certificate = described(
    "error creating certificate",
    () =>
      createCertificate(host, {
        commonName: subject.commonName,
        addresses,
        dnsNames,
        notBefore,
        notAfter: notBefore + lifetime,
        serial: bytesToBigint(host.randomBytes(16)),
        isAuthority,
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
    try {
      const { bytes, zone } = parseAddress(value);
      if (zone === "") return bytes;
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
    }
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
