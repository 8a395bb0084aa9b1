import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A provider that answers at once: a chat completion of 20 tokens as one JSON, or as a stream of 23 chunks, written in one turn, or
 * where the model is called `paced` one each turn of its event loop.
 */

const TOKENS = Array.from({ length: 20 }, (_, index) => ` word${index}`);
const USAGE = { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 };
const HEAD = { id: 'chatcmpl-stub', created: 1_700_000_000, model: 'chat' };

const whole = JSON.stringify({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: TOKENS.join('') }, finish_reason: 'stop' }],
  usage: USAGE,
});
const chunk = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
const delta = (content: object, finish_reason: string | null = null) =>
  chunk([{ index: 0, delta: content, finish_reason }]);
const CHUNKS = [
  delta({ role: 'assistant', content: '' }),
  ...TOKENS.map((content) => delta({ content })),
  delta({}, 'stop'),
  chunk([], { usage: USAGE }) + 'data: [DONE]\n\n',
];

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part: Buffer) => (body += part.toString()));
  request.on('end', () => {
    const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) });
      response.end(whole);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (model !== 'paced') {
      for (const part of CHUNKS) response.write(part);
      response.end();
      return;
    }
    const next = (index: number) => {
      if (index === CHUNKS.length) return response.end();
      response.write(CHUNKS[index]);
      return setImmediate(next, index + 1);
    };
    next(0);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
