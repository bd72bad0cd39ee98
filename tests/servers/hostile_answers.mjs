// Spoiled ID tokens of the provider in oidc_provider.mjs: each variant changes what the certified
// oidc-provider has just signed.

import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const HOUR = 3600;
const unknown = generateKeyPairSync("rsa", { modulusLength: 2048 });

const encoded = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
const decoded = (part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));

function signed(header, claims, key) {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const signatures = {
    none: () => "",
    HS256: () => createHmac("sha256", key).update(text).digest("base64url"),
    RS256: () => sign("sha256", Buffer.from(text), key).toString("base64url"),
  };
  return `${text}.${signatures[header.alg]()}`;
}

/** Name → the claims that a variant changes; they are signed with the provider's own key. */
const CLAIMS = {
  "wrong issuer": () => ({ iss: "https://other.example" }),
  "issuer with a slash": ({ iss }) => ({ iss: `${iss}/` }),
  "wrong audience": () => ({ aud: "another" }),
  "second audience": ({ aud }) => ({ aud: [aud, "another"] }),
  "another party": () => ({ azp: "another" }),
  "no nonce": () => ({ nonce: undefined }),
  "another nonce": () => ({ nonce: "another" }),
  expired: ({ iat }) => ({ iat: iat - 2 * HOUR, exp: iat - HOUR }),
  "no expiry": () => ({ exp: undefined }),
  "from the future": ({ iat, exp }) => ({ iat: iat + HOUR, exp: exp + HOUR }),
  "no subject": () => ({ sub: undefined }),
  "a list of subjects": ({ sub }) => ({ sub: [sub] }),
  "token of another access token": () => ({ at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }),
};

/** Name → a token made of the header, the claims and the provider's own key. */
const TOKENS = {
  "algorithm none": (header, claims) => signed({ ...header, alg: "none" }, claims),
  "public key as a secret": (header, claims, key) => signed(
    { ...header, alg: "HS256" }, claims, createPublicKey(key).export({ type: "spki", format: "pem" })),
  "another key of the same name": (header, claims) => signed(header, claims, unknown.privateKey),
  "an unknown key": (header, claims) => signed({ ...header, kid: "unknown" }, claims, unknown.privateKey),
  "a key in the token": (header, claims) => signed(
    { ...header, kid: undefined, jwk: unknown.publicKey.export({ format: "jwk" }) }, claims, unknown.privateKey),
  "a logout token": (header, claims, key) => signed({ ...header, typ: "logout+jwt" }, claims, key),
  "no signature": (header, claims, key) => signed(header, claims, key).replace(/[^.]*$/, ""),
  "changed after it was signed": (header, claims, key) => signed(header, claims, key)
    .replace(/\.[^.]*\./, `.${encoded({ ...claims, sub: "linh" })}.`),
};

/** Middleware for the provider. `file` holds the name of the variant; it is emptied after its use. */
export function hostile(file, key) {
  let earlier;
  const spoiled = (name, token) => {
    const [header, claims] = token.split(".", 2).map(decoded);
    if (name === "the token of an earlier sign-in") return earlier;
    if (name in CLAIMS) return signed(header, { ...claims, ...CLAIMS[name](claims) }, key);
    return TOKENS[name](header, claims, key);
  };
  return async (ctx, next) => {
    await next();
    if (ctx.path !== "/token" || !ctx.body?.id_token) return;
    const name = readFileSync(file, "utf8");
    if (name) {
      ctx.body = { ...ctx.body, id_token: spoiled(name, ctx.body.id_token) };
      writeFileSync(file, "");
    } else {
      earlier = ctx.body.id_token;
    }
  };
}
