// The interface `hitl` of Botpress, as `bp add hitl` brings it: names, without the texts that describe them.
import { InterfaceDefinition, messages, z } from "@botpress/sdk";

const action = (input, output) => ({ input: { schema: () => z.object(input) }, output: { schema: () => z.object(output) } });
const event = (members) => ({ schema: () => z.object(members) });
const said = ({ schema }) => ({ schema: () => schema.extend({ userId: z.string().optional() }) });
const { text, image, audio, video, file, bloc } = messages.defaults;

const definition = new InterfaceDefinition({
  name: "hitl",
  version: "2.1.0",
  entities: { hitlSession: { schema: z.object({}) } },
  events: {
    hitlAssigned: event({ conversationId: z.string(), userId: z.string() }),
    hitlStopped: event({ conversationId: z.string() }),
  },
  actions: {
    createUser: action({ name: z.string() }, { userId: z.string() }),
    startHitl: action({ userId: z.string() }, { conversationId: z.string() }),
    stopHitl: action({ conversationId: z.string() }, {}),
  },
  channels: { hitl: { messages: Object.fromEntries(Object.entries({ text, image, audio, video, file, bloc }).map(([name, one]) => [name, said(one)])) } },
});

export default { type: "interface", name: "hitl", version: "2.1.0", definition };
