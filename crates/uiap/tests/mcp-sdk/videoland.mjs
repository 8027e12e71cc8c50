// Drives the Videoland task through the official client, over standard input and output or over HTTP.
// Arguments: the module folder of the client, the app's address, then `stdio PROGRAM` or `http URL`.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [modules, app, kind, end] = process.argv.slice(2);
const require = createRequire(path.join(modules, "anchor.js"));
const load = async (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { ElicitRequestSchema } = await load("types.js");

let transport;
if (kind === "stdio") {
  const { StdioClientTransport } = await load("client/stdio.js");
  transport = new StdioClientTransport({ command: end, args: ["mcp", "--url", app], env: process.env, stderr: "inherit" });
} else {
  const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
  transport = new StreamableHTTPClientTransport(new URL(end));
}

const asked = [];
const client = new Client({ name: "videoland-test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { agree: true } };
});
await client.connect(transport);

const check = (holds, why) => {
  if (!holds) throw new Error(why);
};
// The client itself holds every answer against the schema that the tool promised.
await client.listTools();
const tool = async (name, args, wanted = false) => {
  const result = await client.callTool({ name, arguments: args });
  check((result.isError ?? false) === wanted, `${name} ${JSON.stringify(args)}: ${JSON.stringify(result)}`);
  return result;
};
const text = (result) => result.content.find((block) => block.type === "text").text;

const opened = await tool("open", { url: `${app}/videos/new` });
const session = opened.structuredContent.session;
const title = /- textbox "Title" \[ref=(\w+)\]/.exec(text(opened));
check(title, text(opened));
const typed = await tool("act", { session, do: "type", ref: title[1], text: "Made by the official client" });
check(typed.structuredContent.status === "succeeded", JSON.stringify(typed));
const created = await tool("act", { session, do: "video.create", args: { title: "Made by the official client" } });
check(text(created).startsWith("verified video.create"), text(created));
await tool("open", { session, url: `${app}/videos` });
const found = await tool("find", { session, text: "Made by the official client" });
check(found.structuredContent.count > 0, text(found));
await tool("open", { session, url: `${app}/team` });
const invited = await tool("act", {
  session,
  do: "team.invite",
  args: { name: "Ada", email: "ada@videoland.example" },
});
check(text(invited).startsWith("verified team.invite"), text(invited));
check(asked.length >= 1 && asked.some((message) => message.includes("team.invite")), `asked: ${asked}`);
const picture = await tool("screenshot", { session, link: true });
const link = picture.content.find((block) => block.type === "resource_link");
const read = await client.readResource({ uri: link.uri });
check(Buffer.from(read.contents[0].blob, "base64").subarray(1, 4).toString() === "PNG", "no picture");
await tool("snapshot", { session: "nobody" }, true);
await tool("close", { session });
if (kind === "http") await transport.terminateSession();
await client.close();
console.log(`done: ${asked.length} questions`);
