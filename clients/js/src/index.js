// Connects a chatbot with Lineup: posts its events, and gets what admins do, in order.

export { lineup } from "./api.js";
export { Receiver } from "./receiver.js";
export { Sender } from "./sender.js";

/** @typedef {import("./schema.js").components["schemas"]} Schemas the types of the bot API */
