// What Botpress knows of the integration. `bp add hitl` makes the folder bp_modules.

import { IntegrationDefinition, z } from "@botpress/sdk";
import hitl from "./bp_modules/hitl";

export default new IntegrationDefinition({
  name: "lineup",
  title: "Lineup",
  description: "Hands conversations over to the team at Lineup.",
  version: "0.1.0",
  readme: "README.md",
  user: {
    tags: {
      id: { title: "Admin", description: "An admin of Lineup: admin- and the id" },
      email: { title: "E-mail", description: "The address of a customer" },
    },
  },
  states: {
    session: { type: "user", schema: z.object({ number: z.number().describe("The hand-off that is open, or comes next") }) },
  },
  entities: {
    session: { title: "Hand-off", description: "Has no settings", schema: z.object({}) },
  },
}).extend(hitl, ({ entities }) => ({
  entities: { hitlSession: entities.session },
  channels: {
    hitl: {
      title: "Lineup",
      description: "A thread of Lineup",
      conversation: {
        tags: {
          id: { title: "Thread", description: "The chatbot's id of the thread in Lineup" },
          begun: { title: "Handed over", description: "Whether the hand-off was sent" },
        },
      },
      message: { tags: { id: { title: "Message", description: "The id of the message in Lineup" } } },
    },
  },
}));
