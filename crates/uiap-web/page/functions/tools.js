// The tools that a page registered for models: `document.modelContext`, or what an older page or a stand-in for it has.
// Runs in the page's own world and trusts nothing in it. Returns JSON: a list of tools, 'absent', or what a tool answered.
async function tools({ call, input, most }) {
  const context = document.modelContext ?? navigator.modelContext;
  const testing = navigator.modelContextTesting;
  const lister = [[context, 'getTools'], [context, 'listTools'], [testing, 'listTools']].find(([from, name]) => typeof from?.[name] === 'function');
  const found = lister ? Array.from((await lister[0][lister[1]]()) ?? []) : [];
  // A frame may offer tools through its page; what is not of this origin is not this app's.
  const own = found.filter((tool) => typeof tool?.name === 'string' && (tool.origin === undefined || tool.origin === location.origin));
  if (call === undefined) {
    const schema = (text) => (typeof text === 'string' ? JSON.parse(text) : text);
    const told = ({ name, title, description, inputSchema, annotations }) => ({ name, title, description, inputSchema: schema(inputSchema), annotations });
    return JSON.stringify(own.slice(0, most).map((tool) => { try { return told(tool); } catch { return null; } }));
  }
  const tool = own.find((each) => each.name === call);
  if (!tool) return '"absent"';
  let answer;
  if (typeof context?.executeTool === 'function') answer = await context.executeTool(tool, input);
  else if (typeof context?.callTool === 'function') answer = await context.callTool({ name: call, arguments: input });
  else if (typeof testing?.executeTool === 'function') answer = await testing.executeTool(call, JSON.stringify(input));
  else if (typeof tool.execute === 'function') answer = await tool.execute(input, {});
  else return '"absent"';
  return typeof answer === 'string' ? JSON.stringify({ text: answer }) : JSON.stringify({ value: answer ?? null });
}
