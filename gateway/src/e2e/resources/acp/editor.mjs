// An editor made with the protocol's own SDK: arguments are the folder with node_modules, the workspace, and the agent's
// command. It prints what it saw as one JSON object.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [modules, folder, ...command] = process.argv.slice(2);
const acp = await import(pathToFileURL(`${modules}/@agentclientprotocol/sdk/dist/v1/stable/acp.js`).href);
const agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const seen = { kinds: [], replayed: "" };
let replaying = "";

await acp.client({ name: "test" })
    .onRequest(acp.methods.client.session.requestPermission, () => ({ outcome: { outcome: "cancelled" } }))
    .onNotification(acp.methods.client.session.update, ({ params }) => {
        const { update } = params;
        if (params.sessionId === replaying && update.content?.type === "text"
                && /^(user|agent)_message_chunk$/.test(update.sessionUpdate)) {
            seen.replayed += update.content.text;
        }
    })
    .connectWith(stream, async (ctx) => {
        const { agent: methods } = acp.methods;
        const hello = await ctx.request(methods.initialize, { protocolVersion: 1, clientCapabilities: {} });
        seen.agent = hello.agentInfo.title;

        const session = await ctx.buildSession(folder).start();
        const answer = session.prompt("#scenario:shell:echo from-the-wall");
        for (let message = await session.nextUpdate(); message.kind !== "stop"; message = await session.nextUpdate()) {
            seen.kinds.push(message.update.sessionUpdate);
        }
        seen.stopReason = (await answer).stopReason;

        const hanging = session.prompt("#scenario:hang");
        for (let message = await session.nextUpdate(); message.update?.sessionUpdate !== "agent_message_chunk";) {
            message = await session.nextUpdate();
        }
        await ctx.notify(methods.session.cancel, { sessionId: session.sessionId });
        seen.cancelled = (await hanging).stopReason;
        session.dispose();

        seen.listed = (await ctx.request(methods.session.list, { cwd: folder })).sessions
            .some((one) => one.sessionId === session.sessionId);
        replaying = session.sessionId;
        await ctx.request(methods.session.load, { sessionId: session.sessionId, cwd: folder, mcpServers: [] });
        try {
            await ctx.request(methods.session.load, { sessionId: "nobody", cwd: folder, mcpServers: [] });
        } catch (refusal) {
            seen.refused = refusal.code;
        }
        await ctx.request(methods.session.close, { sessionId: session.sessionId });
    });
agent.stdin.end();
const code = await new Promise((resolve) => agent.once("exit", resolve));
console.log(JSON.stringify({ ...seen, code }));
process.exit(0);
