// What both TypeScript drivers do once they are connected: play one job and print one line of JSON.
// The job comes as JSON in argv[2]: {command, args, mode, answer, calls: [{name, arguments}]}. A string argument of
// the form "{{N/pointer}}" is replaced by what the N-th call's structured content has at that JSON pointer.

export const job = JSON.parse(process.argv[2]);

/** Whether this job's client can show a question. */
export const prompts = job.answer !== "unsupported";

const asked = [];

/** The scripted person. */
export function answer(params) {
  asked.push({ message: params.message, schema: params.requestedSchema ?? null });
  if (job.answer !== "accept") return { action: job.answer };
  const content = {};
  for (const [name, form] of Object.entries(params.requestedSchema?.properties ?? {})) {
    if (form.type === "boolean") content[name] = true;
  }
  return { action: "accept", content };
}

function fill(value, results) {
  const reference = typeof value === "string" && value.match(/^\{\{(\d+)(\/.*)\}\}$/);
  if (reference) {
    return reference[2].slice(1).split("/").reduce((at, key) => at?.[key], results[Number(reference[1])]?.structured);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, results));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, results)]));
  }
  return value;
}

/** Plays the job on a connected client and prints what happened. */
export async function play(client, version) {
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const results = [];
  for (const call of job.calls) {
    const got = await client.callTool({ name: call.name, arguments: fill(call.arguments, results) });
    results.push({
      text: got.content.map((block) => block.text ?? "").join("\n"),
      structured: got.structuredContent ?? null,
      is_error: got.isError ?? false,
    });
  }
  const server = client.getServerVersion()?.name ?? null;
  await client.close();
  console.log(JSON.stringify({ version, server, tools, results, asked }));
}
