// The classic provider protocol as its first clients spoke it, literally: nothing of this library, no newline behind the
// spawn object, one `data` event for the whole answer. Usage: node classic-client.mjs SPAWNER_SOCKET TASK_ID CONTENT
// Prints every line that it gets, and at the end what the agent said.
import fs from 'node:fs';
import net from 'node:net';

const [spawnerSocket, taskId, content] = process.argv.slice(2);
const POLL_MS = 10;

function spawnAgent() {
  return new Promise((resolve, reject) => {
    const socket = net.connect(spawnerSocket, () => {
      socket.write(JSON.stringify({ action: 'spawn', task_id: taskId, agent_config: { name: 'shell' } }));
    });
    socket.once('data', (data) => {
      resolve(JSON.parse(data));
      socket.end();
    });
    socket.on('error', reject);
  });
}

async function waitForFile(path) {
  while (!fs.existsSync(path)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const answer = await spawnAgent();
if (answer.error) throw new Error(answer.error);
await waitForFile(answer.io_socket);

const io = net.connect(answer.io_socket);
io.write(`${JSON.stringify({ auth: answer.auth_token })}\n`);
io.write(`${JSON.stringify({ role: 'user', content })}\n`);
let rest = '';
let said = '';
io.setEncoding('utf8');
io.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    console.log(line);
    const message = JSON.parse(line);
    if (message.type === 'chunk') said += message.content;
    if (message.type === 'error') throw new Error(message.error);
    if (message.type === 'done') io.write(`${JSON.stringify({ action: 'terminate' })}\n`);
  }
});
io.on('end', () => console.log(JSON.stringify({ said })));
