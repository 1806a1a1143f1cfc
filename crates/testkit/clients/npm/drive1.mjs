// The TypeScript SDK 1.x, which speaks the revisions with `initialize`.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { answer, job, play, prompts } from "./scenario.mjs";

const capabilities = prompts ? { elicitation: {} } : {};
const client = new Client({ name: "drive1", version: "1" }, { capabilities });
if (prompts) client.setRequestHandler(ElicitRequestSchema, (request) => answer(request.params));
const transport = new StdioClientTransport({ command: job.command, args: job.args, env: process.env });
// The transport is told the revision, which the client keeps to itself.
let version = null;
transport.setProtocolVersion = (told) => (version = told);
await client.connect(transport);
await play(client, version);
