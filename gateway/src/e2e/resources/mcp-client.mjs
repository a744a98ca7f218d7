// The client of MCP's own kit: mcp-client.mjs KIT SESSION SECONDS LIMIT_MS COMMAND… waits for a session that works, once with
// a limit that each sign of life begins anew, and once with one that none does.
import assert from "node:assert/strict"

const [kit, session, seconds, limit, command, ...args] = process.argv.slice(2)
const { Client } = await import(`${kit}/dist/esm/client/index.js`)
const { StdioClientTransport } = await import(`${kit}/dist/esm/client/stdio.js`)

const client = new Client({ name: "brig-test", version: "1" })
await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }))
const wait = (options) =>
  client.callTool({ name: "wait", arguments: { session, seconds: Number(seconds) } }, undefined, { timeout: Number(limit), onprogress: () => {}, ...options })

const heard = []
const kept = wait({ resetTimeoutOnProgress: true, onprogress: (progress) => heard.push(progress) })
const cut = wait({}).then(() => assert.fail("the limit did not end it"), (error) => error)
assert.match(String(await cut), /Request timed out/)
const result = await kept
assert.equal(result.isError, undefined)
assert.equal(JSON.parse(result.content[0].text).running, true)
assert.deepEqual(heard.map((one) => one.progress), [10, 20, 30])
for (const one of heard) assert.match(one.message, /\S/)
await client.close()
console.log("ok")
