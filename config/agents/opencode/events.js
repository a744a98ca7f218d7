// A plugin for OpenCode that tells Brig what ACP does not: what sub-agents do, and that the model is asked again. Events
// go to standard output, between the lines of ACP and through the same stream, so that they stay in order.
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
    case "message.part.updated":
      return children.has(properties.part?.sessionID) || properties.part?.tool === "task"
    case "message.part.delta":
    case "session.idle":
    case "session.error":
      return children.has(properties.sessionID)
    default:
      return false
  }
}

export const BrigEvents = async () => ({
  event: async ({ event }) => {
    if (wanted(event)) {
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "opencode/event", params: event }) + "\n")
    }
  },
})
