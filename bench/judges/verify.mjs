// Standard Webhooks' verifier for Node over the requests on stdin: [{secret, headers, body}], the
// body in base64. Prints for each whether it accepts the request, as JSON.

import { readFileSync } from "node:fs";

import { Webhook, WebhookVerificationError } from "standardwebhooks";

const accepts = ({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(Buffer.from(body, "base64").toString("utf8"), headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
};

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(accepts)));
