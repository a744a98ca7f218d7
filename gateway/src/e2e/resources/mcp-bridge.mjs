// A server of MCP on standard input and output, over HTTP, for programs that know no other way: mcp-bridge.mjs NAMES COMMAND…
// NAMES is JSON: {"tools": {"name": {"name": …, "arguments": …}}, "resources": {"uri": "uri"}} says which tool or resource
// of the server is meant. The duties of the transport are done here, and nothing else.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import http from "node:http"
import readline from "node:readline"

const names = JSON.parse(process.argv[2])
const command = process.argv.slice(3)
const META = "io.modelcontextprotocol/protocolVersion"
const HEADER_MISMATCH = -32020
const STATUS = { [HEADER_MISMATCH]: 400, "-32601": 404, "-32602": 400, "-32022": 400, "-32021": 400, "-32700": 400, "-32600": 400 }
const sessions = new Map()

/** One process. Its requests have ids of their own, as those of two clients may be equal. */
class Server {
  #next = 1
  #waiting = new Map()

  constructor() {
    this.child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] })
    readline.createInterface({ input: this.child.stdout }).on("line", (line) => this.#read(JSON.parse(line)))
  }

  #read(message) {
    const token = message.params?.progressToken
    const asked = this.#waiting.get(message.id ?? token)
    if (message.id !== undefined) this.#waiting.delete(message.id)
    asked?.(message)
  }

  /** Ends with an answer; notifications about the request come before it. */
  ask(request, notified) {
    const id = this.#next++
    const token = request.params?._meta?.progressToken
    const sent = { ...request, id, params: { ...request.params, ...meant(request.params ?? {}) } }
    if (token !== undefined) sent.params._meta = { ...sent.params._meta, progressToken: id }
    return new Promise((resolve) => {
      this.#waiting.set(id, (message) => {
        if (message.id === undefined) notified({ ...message, params: { ...message.params, progressToken: token } })
        else resolve({ ...message, id: request.id })
      })
      this.tell(sent)
    })
  }

  tell(message) {
    this.child.stdin.write(JSON.stringify(message) + "\n")
  }

  end() {
    this.child.stdin.end()
  }
}

const meant = ({ name, uri }) => names.tools[name] ?? (uri in names.resources ? { uri: names.resources[uri] } : {})
const stateless = new Server()
const failure = (id, code, message) => ({ jsonrpc: "2.0", id: id ?? null, error: { code, message } })

/** What a header must repeat of a request of the new era. */
function headerFault(headers, message) {
  const { method, params } = message
  const named = { "tools/call": params?.name, "prompts/get": params?.name, "resources/read": params?.uri }[method]
  if (headers["mcp-protocol-version"] !== params?._meta?.[META] && params?._meta?.[META] !== undefined) return "MCP-Protocol-Version"
  if (headers["mcp-method"] !== method) return "Mcp-Method"
  return named !== undefined && headers["mcp-name"] !== named ? "Mcp-Name" : null
}

http.createServer(async (req, res) => {
  const json = (status, body, headers = {}) => {
    res.writeHead(status, { "content-type": "application/json", ...headers })
    res.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const local = /^(127\.0\.0\.1|localhost)(:\d+)?$/
  if (!local.test(req.headers.host ?? "") || (req.headers.origin && !local.test(new URL(req.headers.origin).host))) return json(403)
  const id = req.headers["mcp-session-id"]
  if (req.method === "DELETE" && sessions.has(id)) {
    sessions.get(id).end()
    sessions.delete(id)
    return json(200)
  }
  if (req.method !== "POST") return json(405)
  let body = ""
  for await (const part of req) body += part
  let message
  try { message = JSON.parse(body) } catch { return json(400, failure(null, -32700, "not JSON")) }
  const modern = message.params?._meta?.[META] !== undefined || req.headers["mcp-protocol-version"] === "2026-07-28" || message.method === "server/discover"
  let server = stateless
  const headers = {}
  if (modern) {
    const fault = message.id === undefined ? null : headerFault(req.headers, message)
    if (fault) return json(400, failure(message.id, HEADER_MISMATCH, `${fault} does not fit the request`))
  } else if (message.method === "initialize") {
    server = new Server()
    headers["mcp-session-id"] = randomUUID()
    sessions.set(headers["mcp-session-id"], server)
  } else {
    server = sessions.get(id)
    if (!server) return json(id ? 404 : 400, failure(message.id, -32600, "no such session"))
  }
  if (message.id === undefined) {
    server.tell(message)
    return json(202)
  }
  const event = (sent) => {
    if (!res.headersSent) res.writeHead(200, { "content-type": "text/event-stream", ...headers })
    res.write(`event: message\ndata: ${JSON.stringify(sent)}\n\n`)
  }
  const answer = await server.ask(message, event)
  if (res.headersSent) {
    event(answer)
    return res.end()
  }
  json(modern && answer.error ? STATUS[answer.error.code] ?? 200 : 200, answer, headers)
}).listen(0, "127.0.0.1", function () { console.log(`http://127.0.0.1:${this.address().port}/mcp`) })

process.stdin.on("end", () => process.exit(0)).resume()
