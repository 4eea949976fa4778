import { describe, expect, test } from "bun:test";
import { compareSync } from "bcryptjs";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createCrypto } from "../../../lib/host/crypto.ts";
import type { CryptoHost } from "../../../lib/go/sprig/mod.ts";
import { countingBytes } from "../_sprig_host.ts";
import { render, table } from "./_host_table.ts";

/** Generated once, because that takes time and the tests are about certificates. */
const RSA = render(`{{ (genCA "x" 1).Key }}`);
const EC = render(`{{ genPrivateKey "ecdsa" }}`);
const ED = render(`{{ genPrivateKey "ed25519" }}`);
const DATA = { rsa: RSA, ec: EC, ed: ED };

describe("sums", () => {
  table([
    [`{{ sha1sum "" }}`, "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
    [`{{ sha256sum "é世" }}`, "3f91a566b940c2a47dbd80de63fac104df17922241f7db57e7b304b1a63b53a8"],
    [`{{ sha512sum "hello" | trunc 32 }}`, "9b71d224bd62f3785d96d46ad3ea3d73"],
    [`{{ sha256sum (b64dec "/w==") | trunc 16 }}`, "a8100ae6aa1940d0"],
    [
      `{{ adler32sum "" }} {{ adler32sum "hello" }} {{ adler32sum (repeat 6000 "\\x7f") }}`,
      "1 103547413 2077860150",
    ],
  ]);
});

describe("passwords", () => {
  table([
    [
      `{{ bcrypt (repeat 73 "x") }}`,
      "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes",
    ],
    [`{{ bcrypt (b64dec "/w==") }}`, "failed to encrypt string with bcrypt: password is not UTF-8"],
    [`{{ htpasswd "x:" "y" }}`, "invalid username: x:"],
    [`{{ derivePassword 1 "long" "password" "user" "example.com" }}`, "ZedaFaxcZaso9*"],
    [
      `{{ derivePassword 1 "nope" "p" "u" "s" }} {{ derivePassword 1 "toString" "p" "u" "s" }}`,
      "cannot find password template nope cannot find password template toString",
    ],
    [`{{ derivePassword -1 "pin" "p" "u" "s" }}`, "ERROR expected unsigned integer; found -1"],
  ]);
  test("bcrypt uses cost 10 and Go's version", () => {
    const [hash, line] = render(`{{ bcrypt "pässword" }} {{ htpasswd "user" "x" }}`).split(" ");
    expect(hash).toStartWith("$2a$10$");
    expect(compareSync("pässword", hash)).toBe(true);
    expect(line).toStartWith("user:$2a$10$");
    expect(compareSync("x", line.slice(5))).toBe(true);
  });
});

describe("AES", () => {
  table([
    [`{{ encryptAES "key" "plain" }}`, "AAECAwQFBgcICQoLDA0ODzu8wuQE/jzPXcLcvVELgwg="],
    [`{{ encryptAES "key" "" }}|{{ decryptAES "key" "" }}|`, "||"],
    [`{{ decryptAES "k" "!" }}`, "ERROR illegal base64 data at input byte 0"],
    [`{{ decryptAES "k" "YQ==" }}`, "ERROR slice bounds out of range [:16] with capacity 3"],
    [`{{ decryptAES "k" (repeat 17 "x" | b64enc) }}`, "ERROR crypto/cipher: input not full blocks"],
    [`{{ decryptAES "k" (repeat 16 "x" | b64enc) }}`, "ERROR index out of range [-1]"],
  ], { host: { randomBytes: countingBytes() } });
  table([
    [`{{ encryptAES "k" "plain" | len }} {{ encryptAES "k" (repeat 16 "x") | len }}`, "44 64"],
    [`{{ "é" | encryptAES "secretkey" | decryptAES "secretkey" }}`, "é"],
    [
      `{{ repeat 16 "x" | encryptAES (repeat 40 "k") | decryptAES (repeat 32 "k") }}`,
      "xxxxxxxxxxxxxxxx",
    ],
  ]);
});

describe("genPrivateKey returns the PEM that Go writes", () => {
  table([[
    `{{ genPrivateKey "RSA" }} {{ genPrivateKey "constructor" }}`,
    "Unknown type RSA Unknown type constructor",
  ]]);
  const rows: [type: string, label: string][] = [
    ["ecdsa", "EC PRIVATE KEY"],
    ["ed25519", "PRIVATE KEY"],
    ["dsa", "DSA PRIVATE KEY"],
    ["rsa", "RSA PRIVATE KEY"],
  ];
  for (const [type, label] of rows) {
    test(type, () => {
      const pem = render(`{{ genPrivateKey "${type}" }}`);
      const lines = pem.split("\n");
      expect(lines[0]).toBe(`-----BEGIN ${label}-----`);
      expect(lines.slice(-2)).toEqual([`-----END ${label}-----`, ""]);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(64);
      if (type === "dsa") return;
      const key = createPrivateKey(pem);
      expect(key.asymmetricKeyType).toBe(type === "ecdsa" ? "ec" : type as "rsa" | "ed25519");
      if (type === "rsa") expect(key.asymmetricKeyDetails?.modulusLength).toBe(4096);
    });
  }
});

describe("certificates", () => {
  const pick = (template: string) => new X509Certificate(render(template, { data: DATA }));
  test("a CA signs other certificates, and its own", () => {
    const [ca, leaf] = render(
      `{{ $ca := genCAWithKey "my-ca" 365 .rsa }}{{ $ca.Cert }}|` +
        `{{ (genSignedCertWithKey "leaf" (list "10.0.0.1" "::1") (list "a.b" "*.c") 30 $ca .ec).Cert }}`,
      { data: DATA },
    ).split("|").map((pem) => new X509Certificate(pem));
    expect(ca.ca).toBe(true);
    expect(ca.subject).toBe("CN=my-ca");
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.issuer).toBe("CN=my-ca");
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.subjectAltName).toBe(
      "DNS:a.b, DNS:*.c, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1",
    );
    expect(new Date(leaf.validFrom).toISOString()).toBe("2026-01-02T03:04:05.000Z");
    expect(new Date(leaf.validTo).toISOString()).toBe("2026-02-01T03:04:05.000Z");
  });
  for (const key of ["rsa", "ec", "ed"]) {
    test(`self-signed with a key of kind ${key}`, () => {
      const certificate = pick(`{{ (genSelfSignedCertWithKey "é" nil nil 36500 .${key}).Cert }}`);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2125);
    });
  }
  test("a new key belongs to its certificate", () => {
    const [cert, key] = render(
      `{{ with genSelfSignedCert "x" nil (list "x") 1 }}{{ .Cert }}|{{ .Key }}{{ end }}`,
    )
      .split("|");
    expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });
  test("the same key, clock and randomness give the same certificate", () => {
    const template = `{{ (genSelfSignedCertWithKey "cn" (list "1.2.3.4") nil 1 .ed).Cert }}`;
    const once = () => render(template, { data: DATA, host: { randomBytes: countingBytes() } });
    expect(once()).toBe(once());
  });
  table([
    [
      `{{ with genCAWithKey "ca" 1 .ed }}{{ eq (buildCustomCert (b64enc .Cert) (b64enc .Key)).Cert .Cert }}{{ end }}`,
      "true",
    ],
    [
      `{{ genCAWithKey "ca" 1 .ed | typeOf }} {{ (genCAWithKey "ca" 1 .ed).Key | eq .ed }}`,
      "sprig.certificate true",
    ],
    [`{{ genCAWithKey "ca" 1 .ed | toJson | substr 0 9 }}`, `{"Cert":"`],
    [`{{ buildCustomCert "aGk=" "aGk=" }}`, "ERROR unable to decode certificate"],
    [`{{ buildCustomCert "!" "aGk=" }}`, "ERROR unable to decode base64 certificate"],
    [`{{ buildCustomCert "aGk=" "!" }}`, "ERROR unable to decode base64 private key"],
    [
      `{{ buildCustomCert (b64enc "-----BEGIN CERTIFICATE-----\\naGk=\\n-----END CERTIFICATE-----\\n") "" }}`,
      "ERROR error parsing certificate: decodedCert.Bytes: x509: malformed certificate",
    ],
    [`{{ genCAWithKey "ca" 1 "nope" }}`, "ERROR parsing private key: no PEM data in input"],
    [
      `{{ genCAWithKey "ca" 1 "-----BEGIN X-----\\n-----END X-----" }}`,
      "ERROR parsing private key: no private key data in PEM block of type X",
    ],
    [
      `{{ genCAWithKey "ca" 1 "-----BEGIN RSA PRIVATE KEY-----\\naGk=\\n-----END RSA PRIVATE KEY-----" }}`,
      "ERROR parsing RSA private key from PEM: x509: failed to parse private key",
    ],
    [
      `{{ genSelfSignedCertWithKey "x" (list "1.2.3") nil 1 .ed }}`,
      "ERROR error parsing ip: 1.2.3",
    ],
    [
      `{{ genSelfSignedCertWithKey "x" (list 1) nil 1 .ed }}`,
      "ERROR error parsing ip: 1 is not a string",
    ],
    [
      `{{ genSelfSignedCertWithKey "x" nil (list 1) 1 .ed }}`,
      "ERROR error processing alternate dns name: 1 is not a string",
    ],
    [
      `{{ genSelfSignedCertWithKey "x" nil (list "é") 1 .ed }}`,
      `ERROR x509: "é" cannot be encoded as an IA5String`,
    ],
    [
      `{{ genSignedCertWithKey "x" nil nil 1 (dict) .ed }}`,
      "ERROR wrong type for value; expected sprig.certificate; got map[string]interface {}",
    ],
  ], { data: DATA });
});

describe("the crypto host", () => {
  const host: CryptoHost = createCrypto();
  test("refuses bcrypt and scrypt parameters that are too expensive", () => {
    const salt = new Uint8Array(16);
    expect(() => host.bcrypt(Uint8Array.of(1), { cost: 20, salt })).toThrow("bcrypt cost 20");
    expect(() => host.scrypt(salt, salt, { n: 2 ** 20, r: 8, p: 1, length: 16 })).toThrow();
  });
  test("recognizes primes", () => {
    expect(host.isPrime(2n ** 127n - 1n)).toBe(true);
    expect(host.isPrime(2n ** 127n + 1n)).toBe(false);
  });
});
