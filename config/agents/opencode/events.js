// A plugin for OpenCode that tells Brig what ACP does not: what sub-agents do, what each model call took, and that the
// model is asked again. Events go to standard output, between the lines of ACP and through the same stream, so that they
// stay in order. It also answers what sub-agents ask whether they may, of which ACP tells nobody, and leaves only the
// tools that the captain asked for. Its options: "permissions", allow or deny, and "tools", names with commas between them.
const children = new Set()

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

function tell(event) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "opencode/event", params: event }) + "\n")
}

/** Rules of an agent of its own without those that open more than these tools: they would count before the general ones. */
function narrowed(rules, tools) {
  if (typeof rules === "string") return rules === "deny" ? rules : {}
  const kept = Object.entries(rules ?? {}).filter(([tool, rule]) => rule === "deny" || tools.includes(tool))
  return Object.fromEntries(kept)
}

/** The configuration of a project may say anything of its agents; what the captain asked for is above it. */
function configure(config, tools, permissions) {
  for (const agent of Object.values(config.agent ?? {})) {
    // There is no other provider here.
    if (agent.model && !agent.model.startsWith("brig/")) delete agent.model
    if (tools.length > 0) {
      agent.permission = narrowed(agent.permission, tools)
      agent.tools = Object.fromEntries(Object.entries(agent.tools ?? {}).filter(([, on]) => on === false))
    }
  }
  if (tools.length > 0) config.permission = Object.fromEntries([["*", "deny"], ...tools.map((tool) => [tool, permissions])])
}

export const BrigEvents = async ({ client }, { permissions, tools } = {}) => {
  const reply = permissions === "allow" ? "once" : "reject"

  /** A sub-agent may be one of an earlier process, whose beginning was not seen here. */
  async function isChild(session) {
    return children.has(session) || Boolean((await client.session.get({ path: { id: session } })).data?.parentID)
  }

  async function answer(asked) {
    if (await isChild(asked.sessionID)) {
      children.add(asked.sessionID)
      const { error } = await client._client.post({
        url: `/permission/${asked.id}/reply`,
        body: { reply },
        headers: { "Content-Type": "application/json" },
      })
      if (error) throw new Error(JSON.stringify(error))
      tell({ type: "permission.answered", properties: { ...asked, reply } })
    }
  }

  return {
    config: async (config) => configure(config, (tools ?? "").split(",").filter(Boolean), permissions ?? "allow"),
    event: async ({ event }) => {
      if (event.type === "permission.asked") {
        answer(event.properties).catch((error) => console.error(`a permission was not answered: ${error.message}`))
      } else if (wanted(event)) {
        tell(event)
      }
    },
  }
}
