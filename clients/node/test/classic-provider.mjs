// A provider of sub-agents as the first clients were: one session after the other, each in a workspace of its own below
// a base, begun, spoken to, closed and terminated by its task_id; what the terminate is answered is not looked at.
// Usage: node classic-provider.mjs SPAWNER_SOCKET WORKSPACE_BASE AGENT SESSIONS MESSAGE
// Prints for each session, on a line, what its agent said.
import fs from 'node:fs/promises';
import net from 'node:net';

const [spawnerSocket, base, agent, sessions, message] = process.argv.slice(2);
const POLL_MS = 20;
const READY_MS = 30000;

function callSpawner(request) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(spawnerSocket, () => socket.write(JSON.stringify(request)));
    socket.once('data', (data) => {
      resolve(JSON.parse(data));
      socket.end();
    });
    socket.on('error', reject);
  });
}

async function waitForFile(path) {
  for (let waited = 0; waited < READY_MS; waited += POLL_MS) {
    try {
      await fs.access(path);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  throw new Error(`${path} did not come`);
}

async function talk(ioSocket, token) {
  const socket = net.connect(ioSocket);
  socket.write(`${JSON.stringify({ auth: token })}\n${JSON.stringify({ role: 'user', content: message })}\n`);
  socket.setEncoding('utf8');
  let rest = '';
  let said = '';
  for await (const text of socket) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const frame of lines.map((line) => JSON.parse(line))) {
      if (frame.type === 'error') throw new Error(frame.error);
      if (frame.type === 'chunk') said += frame.content;
      if (frame.type === 'done') {
        socket.end();
        return said;
      }
    }
  }
  throw new Error('the session ended without a done');
}

for (let i = 0; i < Number(sessions); i++) {
  const taskId = `${agent}-${Date.now()}-${i}`;
  const spawned = await callSpawner({
    action: 'spawn', task_id: taskId, workspace: `${base}/${taskId}`, agent_config: { name: agent, tools: [], systemPrompt: '' },
  });
  if (spawned.error) throw new Error(`session ${i}: ${spawned.error}`);
  await waitForFile(spawned.io_socket);
  console.log((await talk(spawned.io_socket, spawned.auth_token)).trim());
  await callSpawner({ action: 'terminate', task_id: taskId });
}
