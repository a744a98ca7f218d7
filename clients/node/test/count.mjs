// Prints the numbers that a worker counts, one by one, and how the session ended. Usage: node count.mjs SPAWNER_SOCKET
import { SubagentProvider } from '../index.js';

const provider = new SubagentProvider({ spawnerSocket: process.argv[2] });
const prompt = 'for i in $(seq 1 60); do echo $i; sleep 0.05; done';
const session = await provider.start({ agent: 'shell', prompt, once: true });
for await (const frame of session) {
  if (frame.type === 'chunk') {
    process.stdout.write(frame.content);
  } else if (frame.type === 'gap' || frame.type === 'error' || frame.state === 'terminated') {
    console.log(frame.state ?? JSON.stringify(frame));
  }
}
