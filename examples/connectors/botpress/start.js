// Runs the integration as a process that Botpress calls.

import integration from "./integration.js";

await integration.start(Number(process.env.PORT ?? 8072));
