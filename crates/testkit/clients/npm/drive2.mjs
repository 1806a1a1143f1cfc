// The TypeScript client 2.x, which speaks both kinds of revision: "auto" finds out by itself whether the server
// speaks 2026-07-28, "legacy" (its default) opens with `initialize`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answer, job, play, prompts } from "./scenario.mjs";

const client = new Client(
  { name: "drive2", version: "1" },
  { capabilities: prompts ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: job.mode } },
);
if (prompts) client.setRequestHandler("elicitation/create", (request) => answer(request.params));
await client.connect(new StdioClientTransport({ command: job.command, args: job.args, env: process.env }));
await play(client, client.getNegotiatedProtocolVersion());
