import { describe, expect, test } from "bun:test";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { compileTemplate } from "../../lib/go/template/mod.ts";
import { createCrypto } from "../../lib/host/crypto.ts";
import { createBrowserHost } from "../../lib/playground/browser_host.ts";

const host = createBrowserHost();
const functions = sprigFunctions(host);
const render = (source: string) => compileTemplate(source, { name: "t", functions }).execute({});

describe("createBrowserHost()", () => {
  const crypto = createCrypto();
  const bytes = new TextEncoder().encode(
    "some text, longer than one block of any hash. ".repeat(5),
  );

  test.each(["sha1", "sha256", "sha384", "sha512"] as const)(
    "hashes as the program does: %s",
    (name) => {
      expect(host.hash(name, bytes)).toEqual(crypto.hash(name, bytes));
    },
  );

  test("computes the same HMAC, scrypt and bcrypt as the program", () => {
    const salt = bytes.subarray(0, 16);
    expect(host.hmacSha256(salt, bytes)).toEqual(crypto.hmacSha256(salt, bytes));
    const options = { n: 1024, r: 8, p: 1, length: 32 };
    expect(host.scrypt(bytes, salt, options)).toEqual(crypto.scrypt(bytes, salt, options));
    const password = bytes.subarray(0, 20);
    expect(host.bcrypt(password, { cost: 4, salt })).toBe(
      crypto.bcrypt(password, { cost: 4, salt }),
    );
  });

  test("has a clock and random bytes, and no environment", () => {
    expect(render('{{ now | date "2006" }}')).toMatch(/^20\d\d$/);
    expect(host.randomBytes(100_000)).toHaveLength(100_000);
    expect(render('{{ env "PATH" }}')).toBe("");
  });

  const refused: [template: string][] = [
    ['{{ genPrivateKey "rsa" }}'],
    ['{{ genPrivateKey "dsa" }}'],
    ['{{ genCA "x" 1 }}'],
    ['{{ encryptAES "0123456789abcdef0123456789abcdef" "x" }}'],
  ];
  test.each(refused)("rejects what is not available in a browser: %s", (template) => {
    expect(() => render(template)).toThrow(/not available in the browser/);
  });

  test("refuses an expensive bcrypt cost", () => {
    expect(() => host.bcrypt(bytes.subarray(0, 4), { cost: 20, salt: bytes.subarray(0, 16) }))
      .toThrow(
        "bcrypt cost 20 exceeds 12",
      );
  });
});
