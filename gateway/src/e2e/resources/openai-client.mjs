// OpenAI's own client against a gateway: BRIG_URL and BRIG_TOKEN say where, OPENAI is the client's module.
import assert from 'node:assert/strict'

const { default: OpenAI } = await import(process.env.OPENAI)
const client = new OpenAI({ baseURL: process.env.BRIG_URL, apiKey: process.env.BRIG_TOKEN, maxRetries: 0 })
let checks = 0
const check = (test) => { test(); checks++ }
const user = (content) => [{ role: 'user', content }]

const models = []
for await (const model of client.models.list()) models.push(model.id)
check(() => assert.ok(models.includes('mock') && models.includes('shell')))

const whole = await client.chat.completions.create({ model: 'shell', messages: user('echo hello') })
check(() => assert.equal(whole.choices[0].message.content, 'hello\n'))
check(() => assert.equal(whole.choices[0].finish_reason, 'stop'))

let text = ''
let usage
const stream = await client.chat.completions.create({
  model: 'mock', messages: user('#scenario:text:5'), stream: true, stream_options: { include_usage: true },
})
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta.content ?? ''
  usage = chunk.usage ?? usage
}
check(() => assert.match(text, /tok0 tok1 tok2 tok3 tok4/))
check(() => assert.ok(usage.total_tokens > 0))

await client.chat.completions.create({ model: 'no-such-agent', messages: user('hi') }).then(
  () => assert.fail('an agent that is not there answered'),
  (error) => check(() => assert.equal(error.code, 'UNKNOWN_AGENT')))

const failing = await client.chat.completions.create({ model: 'mock', messages: user('#scenario:error:529'), stream: true })
try {
  for await (const chunk of failing) assert.ok(chunk)
  assert.fail('a stream that failed ended well')
} catch (error) {
  check(() => assert.equal(error.code, 'MODEL_ERROR'))
}

const response = await client.responses.create({ model: 'shell', input: 'echo 7 > kept; echo done' })
check(() => assert.equal(response.output_text, 'done\n'))

const events = client.responses.stream({ model: 'shell', input: 'cat kept', previous_response_id: response.id })
let delta = ''
events.on('response.output_text.delta', (event) => { delta += event.delta })
const final = await events.finalResponse()
check(() => assert.equal(delta, '7\n'))
check(() => assert.equal(final.output_text, '7\n'))

// What an agent asks comes as a call of the tool that the client offers for it.
const parameters = { type: 'object' }
const functions = [{ type: 'function', function: { name: 'brig_answer', parameters } }]
const asks = user('#scenario:ask:1')
const asked = await client.chat.completions.stream({ model: 'asking', messages: asks, tools: functions }).finalChatCompletion()
const { message, finish_reason: reason } = asked.choices[0]
check(() => assert.equal(reason, 'tool_calls'))
check(() => assert.equal(JSON.parse(message.tool_calls[0].function.arguments).ask_id, message.tool_calls[0].id))
const allowed = await client.chat.completions.create({
  model: 'asking', messages: [...asks, message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'allow' }],
})
check(() => assert.match(allowed.choices[0].message.content, /Answers: allow/))

const tools = [{ type: 'function', name: 'brig_answer', parameters, strict: false }]
const waiting = await client.responses.stream({ model: 'asking', input: '#scenario:ask:1', tools }).finalResponse()
const call = waiting.output.find((item) => item.type === 'function_call')
const denied = await client.responses.stream({
  model: 'asking', tools, previous_response_id: waiting.id,
  input: [{ type: 'function_call_output', call_id: call.call_id, output: 'deny' }],
}).finalResponse()
check(() => assert.match(denied.output_text, /Answers: deny/))

const aborted = await client.chat.completions.create({
  model: 'shell', messages: user('echo begun; exec sleep 600'), stream: true,
})
for await (const chunk of aborted) {
  if (chunk.choices[0]?.delta.content?.includes('begun')) aborted.controller.abort()
}
check(() => assert.ok(aborted.controller.signal.aborted))
console.log(`${checks} checks passed`)
