// A plugin for OpenCode that tells Brig what ACP does not: what sub-agents do, what each model call took, and that the
// model is asked again. Events go to standard output, between the lines of ACP and through the same stream, so that they
// stay in order. It also passes on what ACP tells nobody: whether sub-agents may use a tool, and all questions to a
// person. It leaves only the tools that the captain asked for. Its options: "permissions", allow, ask or deny, and "tools",
// names with commas between them. For each session in OpenCode's database it keeps an empty file of that name in the home,
// by which Brig knows that a fork can go on with a copy.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const children = new Set()

/** Requests without an answer, by id: {session, settle}. */
const waiting = new Map()

function wanted({ type, properties }) {
  switch (type) {
    case "session.created":
      if (properties.info?.parentID) children.add(properties.info.id)
      return children.has(properties.info?.id)
    case "session.status":
      return properties.status?.type === "retry"
    case "message.updated":
      return children.has(properties.info?.sessionID) && properties.info.role === "user"
    case "message.part.updated": {
      const { part } = properties
      return children.has(part?.sessionID) || part?.tool === "task" || part?.type === "step-finish"
    }
    case "session.error":
      return true
    case "message.part.delta":
    case "session.idle":
      return children.has(properties.sessionID)
    default:
      return false
  }
}

function write(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
}

function tell(event) {
  write({ method: "opencode/event", params: event })
}

/** Asks Brig, and waits for the result; undefined if nobody waits for it any more. */
function ask(method, id, session, params) {
  if (!hearing) hear()
  hearing = true
  return new Promise((settle) => {
    waiting.set(id, { session, settle })
    write({ id, method, params })
  })
}

function settle(id, result) {
  const asked = waiting.get(id)
  waiting.delete(id)
  asked?.settle(result)
}

function withdraw(id) {
  if (waiting.has(id)) {
    write({ method: "$/cancel_request", params: { requestId: id } })
    settle(id)
  }
}

let hearing = false

/**
 * Brig's answers come on standard input, between the lines that OpenCode reads. It must have begun to read before: whoever
 * listens first gets the first lines alone.
 */
function hear() {
  const decoder = new TextDecoder()
  let rest = ""
  process.stdin.on("data", (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop()
    for (const line of waiting.size > 0 ? lines : []) {
      try {
        const { id, result } = JSON.parse(line)
        settle(id, result ?? {})
      } catch {
        // OpenCode complains of what is no JSON.
      }
    }
  })
  // It would also complain of our answers, as it made no such request: the ids of its own are numbers.
  const complain = console.error
  console.error = (...words) => {
    if (words[0] !== "Got response to unknown request" || typeof words[1] === "number") complain(...words)
  }
}

/** Rules of an agent of its own without those that open more than these tools: they would count before the general ones. */
function narrowed(rules, tools) {
  if (typeof rules === "string") return rules === "deny" ? rules : {}
  const kept = Object.entries(rules ?? {}).filter(([tool, rule]) => rule === "deny" || tools.includes(tool))
  return Object.fromEntries(kept)
}

/** The kinds of OpenCode's permissions in ACP, as OpenCode itself names them for the main session. */
const KINDS = { bash: "execute", edit: "edit", webfetch: "fetch", websearch: "fetch", read: "read", list: "read", glob: "search", grep: "search" }

/** Tools that only read or plan: nobody is asked about them. A sub-agent asks for its own. */
const UNASKED = ["read", "glob", "grep", "list", "todoread", "todowrite", "task"]

/** Rules without those that allow what is to be asked. */
function asking(rules) {
  if (typeof rules === "string") return rules === "allow" ? {} : rules
  const stricter = (rule) =>
    typeof rule === "string" ? rule : Object.fromEntries(Object.entries(rule ?? {}).filter(([, what]) => what !== "allow"))
  return Object.fromEntries(
    Object.entries(rules ?? {})
      .filter(([tool, rule]) => rule !== "allow" || UNASKED.includes(tool))
      .map(([tool, rule]) => [tool, stricter(rule)]),
  )
}

/** The configuration of a project may say anything of its agents; what the captain asked for is above it. */
function configure(config, tools, permissions) {
  const asks = permissions !== "allow"
  const usual = (tool) => (asks && !UNASKED.includes(tool) ? "ask" : "allow")
  if (asks) config.permission = Object.fromEntries([["*", "ask"], ...UNASKED.map((tool) => [tool, "allow"])])
  for (const agent of Object.values(config.agent ?? {})) {
    // There is no other provider here.
    if (agent.model && !agent.model.startsWith("brig/")) delete agent.model
    if (asks) agent.permission = asking(agent.permission)
    if (tools.length > 0) {
      agent.permission = narrowed(agent.permission, tools)
      agent.tools = Object.fromEntries(Object.entries(agent.tools ?? {}).filter(([, on]) => on === false))
    }
  }
  if (tools.length > 0) config.permission = Object.fromEntries([["*", "deny"], ...tools.map((tool) => [tool, usual(tool)])])
}

/** Of a session on a terminal, what {@link record} writes at most: the file is kept in memory. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024

/** What is on the screen is no news until it is complete. */
function complete({ type, properties }) {
  if (type !== "message.part.updated") return /^(session\.(created|status|error|idle)|message\.updated|(permission|question)\.)/.test(type)
  const { part } = properties
  if (part?.type === "tool") return part.state?.status !== "running" || part.tool === "task" || !part.state.metadata?.output
  return part?.type === "step-finish" || part?.time?.end !== undefined || part?.time === undefined
}

/** Writes the events of a session on a terminal into a file. */
function record(file) {
  let written = 0
  return {
    event: async ({ event }) => {
      if (!complete(event) || written > RECORD_BYTES_MAX) return
      const line = JSON.stringify(event) + "\n"
      written += line.length
      appendFileSync(file, line)
    },
  }
}

const MARKS = join(homedir(), ".brig/sessions")

/** Says by a file which sessions there are. */
function mark({ type, properties }) {
  const id = properties.info?.id ?? properties.sessionID
  if (!/^session\.(created|idle|deleted)$/.test(type) || children.has(id)) return
  try {
    if (type === "session.deleted") return rmSync(join(MARKS, id), { force: true })
    mkdirSync(MARKS, { recursive: true })
    writeFileSync(join(MARKS, id), "")
  } catch (error) {
    console.error(`a fork will not know the session ${id}: ${error.message}`)
  }
}

export const BrigEvents = async ({ client }, { permissions, tools, file } = {}) => {
  if (file) return record(file)
  /** A sub-agent may be one of an earlier process, whose beginning was not seen here. */
  async function isChild(session) {
    return children.has(session) || Boolean((await client.session.get({ path: { id: session } })).data?.parentID)
  }

  async function post(url, body) {
    const { error } = await client._client.post({ url, body, headers: { "Content-Type": "application/json" } })
    if (error) throw new Error(JSON.stringify(error))
  }

  /** ACP passes on what the agent itself asks. */
  async function passPermission({ id, sessionID, permission, metadata, tool }) {
    if (!(await isChild(sessionID))) return
    children.add(sessionID)
    const result = await ask("session/request_permission", id, sessionID, {
      sessionId: sessionID,
      toolCall: { toolCallId: tool?.callID, title: permission, kind: KINDS[permission], rawInput: metadata },
      options: [
        { optionId: "once", kind: "allow_once", name: "Allow" },
        { optionId: "reject", kind: "reject_once", name: "Reject" },
      ],
    })
    if (result) await post(`/permission/${id}/reply`, { reply: result.outcome?.optionId ?? "reject" })
  }

  async function passQuestion(asked) {
    if (await isChild(asked.sessionID)) children.add(asked.sessionID)
    const result = await ask("opencode/question", asked.id, asked.sessionID, asked)
    if (result?.answers) await post(`/question/${asked.id}/reply`, { answers: result.answers })
    else if (result) await post(`/question/${asked.id}/reject`)
  }

  function handle({ type, properties }) {
    switch (type) {
      case "permission.asked":
        return passPermission(properties)
      case "question.asked":
        return passQuestion(properties)
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return withdraw(properties.requestID)
      case "session.idle":
        for (const [id, { session }] of waiting) if (session === properties.sessionID) withdraw(id)
    }
  }

  return {
    config: async (config) => configure(config, (tools ?? "").split(",").filter(Boolean), permissions ?? "allow"),
    event: async ({ event }) => {
      if (wanted(event)) tell(event)
      mark(event)
      handle(event)?.catch((error) => console.error(`a request was not answered: ${error.message}`))
    },
  }
}
