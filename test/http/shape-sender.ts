import { request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { bodyOf, type Shape } from './shapes.js';

/** A request whose body is made and sent here, on a thread of its own: what the main thread does is the server's. */
export interface ShapedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly shape: Shape;
}

/** Status and body; status 0 where the connection was cut. */
export type ShapedAnswer = readonly [number, string];

parentPort?.on('message', ({ url, method, headers, shape }: ShapedRequest) => {
  const body = Buffer.from(bodyOf(shape));
  const sent = request(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
  });
  let answered = false;
  const answer = (status: number, text: string): void => {
    if (!answered) parentPort?.postMessage([status, text] satisfies ShapedAnswer);
    answered = true;
  };
  sent.on('response', (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += text.length < 500 ? String(chunk) : ''));
    response.on('end', () => answer(response.statusCode ?? 0, text));
    response.on('error', () => answer(response.statusCode ?? 0, text));
  });
  sent.on('error', (error) => answer(0, error.message));
  sent.end(body);
});
