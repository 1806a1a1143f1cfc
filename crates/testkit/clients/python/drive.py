"""The Python SDK: plays one job, as `../npm/scenario.mjs` tells it, and prints one line of JSON."""

import asyncio
import json
import os
import re
import sys

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

JOB = json.loads(sys.argv[1])
ASKED = []


async def answer(_context, params):
    """The scripted person."""
    schema = params.requested_schema
    ASKED.append({"message": params.message, "schema": schema})
    if JOB["answer"] != "accept":
        return ElicitResult(action=JOB["answer"])
    forms = schema.get("properties", {}).items()
    return ElicitResult(action="accept", content={k: True for k, v in forms if v.get("type") == "boolean"})


def fill(value, results):
    """Puts in what an earlier call gave where an argument refers to it."""
    if isinstance(value, dict):
        return {key: fill(item, results) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, results) for item in value]
    reference = re.fullmatch(r"\{\{(\d+)/(.*)\}\}", value) if isinstance(value, str) else None
    if reference is None:
        return value
    found = results[int(reference[1])]["structured"]
    for key in reference[2].split("/"):
        found = found[int(key)] if isinstance(found, list) else found[key]
    return found


async def main():
    server = StdioServerParameters(command=JOB["command"], args=JOB["args"], env=dict(os.environ))
    callback = None if JOB["answer"] == "unsupported" else answer
    async with Client(server, mode=JOB["mode"], elicitation_callback=callback) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        results = []
        for call in JOB["calls"]:
            got = await client.call_tool(call["name"], fill(call["arguments"], results))
            results.append({
                "text": "\n".join(getattr(block, "text", "") for block in got.content),
                "structured": got.structured_content,
                "is_error": bool(got.is_error),
            })
        name = client.server_info.name if client.server_info else None
        out = {"version": client.protocol_version, "server": name, "tools": tools, "results": results, "asked": ASKED}
    print(json.dumps(out))


asyncio.run(main())
