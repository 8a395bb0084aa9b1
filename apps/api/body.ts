import type { FastifyInstance } from 'fastify';
import { collectBody } from './connections/collect-body.js';
import { badRequest } from './errors/http-error.js';

/**
 * One reader for all bodies. An empty body is none; no Content-Type means JSON; any other than JSON is 400, but on routes
 * with `@StreamBody()`, which get the stream whatever it is called.
 */
export function addBodyReader(fastify: FastifyInstance, maxBytes: number): void {
  const parse = fastify.getDefaultJsonParser('error', 'ignore');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    if (request.routeOptions.config.streamBody) return done(null, payload);
    const type = request.headers['content-type'];
    if (type !== undefined && !JSON_TYPE.test(type))
      return done(badRequest(`this route takes JSON, not ${mediaType(type)}: send Content-Type: application/json`));
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && !/^\s*identity\s*$/i.test(encoding))
      return done(badRequest('Content-Encoding is not supported here: send the JSON as it is'));
    collectBody(request, payload, maxBytes, (failure, bytes) => {
      if (failure) return done(failure);
      decode(bytes, (error, text) => {
        if (error) return done(error);
        if (text.trim() === '') return done(null, undefined);
        if (isNestedDeeperThan(DEEPEST, text))
          return done(badRequest(`the body is nested more than ${DEEPEST} levels deep; make it flatter`));
        void parse(request, text, (problem: Error | null, body?: unknown) =>
          problem ? done(badRequest(`the body is not valid JSON: ${reason(text)}`)) : done(null, body),
        );
      });
    });
  });
}

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** What the read stores take is less than a thousand (SQLite), or a hundred (MongoDB), and a document has some of its own. */
const DEEPEST = 64;

/** Whether text that may be JSON opens so many brackets without closing them. Reads no further than the first that is too many. */
export function isNestedDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if ((depth += 1) > limit) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
    }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Where a string that begins at a place ends: at its quote, or with the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const mediaType = (type: string): string => JSON.stringify(type.split(';')[0]?.trim().slice(0, 80));

/**
 * Why Fastify's parser, which does not say, refused the text. V8 quotes what is around the place; the place alone is enough
 * for the client, and keeps content out of logs.
 */
function reason(text: string): string {
  try {
    JSON.parse(text);
    return 'the name __proto__ is not allowed';
  } catch (error) {
    const { message } = error as Error;
    if (/end of JSON input/.test(message)) return 'it ends too early';
    return /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0] ?? 'it holds a stray character';
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer, done: (error: Error | null, text: string) => void): void {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return done(badRequest('the body is not valid UTF-8'), '');
  }
  done(null, text);
}
