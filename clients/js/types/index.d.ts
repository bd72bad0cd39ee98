export { lineup } from "./api.js";
export { Receiver } from "./receiver.js";
export { Sender } from "./sender.js";
/**
 * the types of the bot API
 */
export type Schemas = import("../src/schema.js").components["schemas"];
