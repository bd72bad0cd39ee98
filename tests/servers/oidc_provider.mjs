// A provider of OpenID Connect for tests: the certified oidc-provider, with people from the test.
//   node oidc_provider.mjs OPTIONS   (JSON; see oidc_provider.py)

import { readFileSync } from "node:fs";
import { generateKeyPairSync } from "node:crypto";

import { Provider } from "oidc-provider";

import { hostile } from "./hostile_answers.mjs";

const options = JSON.parse(process.argv[2]);
const { port, client, people } = options;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: options.kid };

// Read at each sign-in, because a test may change the file.
const claimsOf = (id) => JSON.parse(readFileSync(people, "utf8"))[id];

// The library's own guard refuses addresses of this machine.
const fetch = (url, { dispatcher, ...given }) => globalThis.fetch(url, given);

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: client.id,
    client_secret: client.secret,
    redirect_uris: [`${client.url}/login/oidc/callback`],
    post_logout_redirect_uris: [`${client.url}/login`],
    backchannel_logout_uri: `${client.url}/login/oidc/logout`,
    backchannel_logout_session_required: options.names_sessions,
  }],
  fetch,
  jwks: { keys: [key] },
  cookies: { keys: ["a key for tests alone"] },
  // A sign-in without PKCE fails.
  pkce: { required: () => true },
  claims: {
    openid: ["sub", "sid"], email: ["email", "email_verified"], profile: ["name", "groups"],
  },
  conformIdTokenClaims: !options.claims_in_token,
  features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
  ttl: { IdToken: 600, AccessToken: 600, Session: 3600, Grant: 3600, Interaction: 600 },
  findAccount: (ctx, id) => {
    const known = claimsOf(id);
    return known && { accountId: id, claims: () => ({ sub: id, ...known }) };
  },
});
provider.use(hostile(options.hostile, privateKey));
provider.on("backchannel.error", (ctx, error) => console.error("backchannel", error.message));
provider.listen(port, "127.0.0.1", () => console.log("ready"));
