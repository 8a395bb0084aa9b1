import type { FastifyInstance } from 'fastify';
import { BODY_ENCODINGS, encodingOf, type BodyEncoding } from './body-encoding.js';
import { FEW_FIELDS } from './body-limits.js';
import { JsonBoundsError, JsonShape, type JsonBounds } from '#primitives/text/json-shape.js';
import { collectBody, tooLarge } from './collect-body.js';
import { badRequest, HttpError } from '../errors/http-error.js';
import { parseInTurns, UnparsedError } from './large-body.js';

/**
 * Reads every body, and decodes it according to its headers. An empty body is absent; a missing or empty Content-Type means
 * JSON; other types are 400, except on routes with `@StreamBody()`, which get the stream whatever its type.
 */
export function addBodyReader(fastify: FastifyInstance, maxBytes: number): void {
  takeAnyMediaType(fastify);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    const { streamBody, bodyLimits = FEW_FIELDS } = request.routeOptions.config;
    if (streamBody) return done(null, payload);
    const type = request.headers['content-type'];
    if (type !== undefined && !JSON_TYPE.test(type))
      return done(badRequest(`this route takes JSON, not ${mediaType(type)}: send Content-Type: application/json`));
    let encoding: BodyEncoding | null;
    try {
      encoding = encodingOf(request.headers['content-encoding'], BODY_ENCODINGS);
    } catch (error) {
      return done(error as Error);
    }
    const shape = new JsonShape(bodyLimits.values, bodyLimits.numbersPerValue);
    const look = (chunk: Buffer) => lookAt(shape, chunk);
    const bounds = { maxBytes: Math.min(bodyLimits.bytes, maxBytes), encoding, look };
    collectBody(request, payload, bounds, (failure, bytes) => {
      if (failure) return done(failure);
      if (bytes.length > MAX_AT_ONCE) return void large(bytes, shape).then((body) => done(null, body), done);
      let body: unknown;
      try {
        body = parsedBody(bytes);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    });
  });
}

/** @throws HttpError naming the bound that the body is beyond */
function lookAt(shape: JsonShape, chunk: Buffer): void {
  try {
    shape.read(chunk);
  } catch (error) {
    if (!(error instanceof JsonBoundsError)) throw error;
    throw new HttpError(422, `the body ${error.message}`, {
      code: 'invalid',
      errors: [{ loc: ['body'], msg: error.message, type: 'out_of_range' }],
    });
  }
}

/** Refuses a parsed body that `addBodyReader` would not have read. @throws HttpError */
export function requireReadable(body: unknown, bounds: JsonBounds, maxBytes: number): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const most = Math.min(bounds.bytes, maxBytes);
  if (bytes.length > most) throw tooLarge(most);
  lookAt(new JsonShape(bounds.values, bounds.numbersPerValue), bytes);
  if (hasProto(body)) throw unparsed(NO_PROTO);
}

/** Fastify would refuse an invalid Content-Type before any parser: that of a `@StreamBody()` route, an empty one, or JSON with broken parameters. */
function takeAnyMediaType(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ raw: { headers }, routeOptions: { config } }, _reply, done) => {
    const { 'content-type': type = '' } = headers;
    if (config.streamBody) headers['content-type'] = 'application/octet-stream';
    else if (type.trim() === '') delete headers['content-type'];
    else if (JSON_TYPE.test(type)) headers['content-type'] = 'application/json';
    done();
  });
}

const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:[;,]|$)/i;

const mediaType = (type: string): string => JSON.stringify(type.split(';')[0]?.trim().slice(0, 80));

/** Bytes of a body that is decoded and parsed in one turn: a millisecond or two. */
const MAX_AT_ONCE = 256 * 1024;

const large = (bytes: Buffer, shape: JsonShape): Promise<unknown> =>
  parseInTurns(bytes, shape.longTexts).catch((error: unknown) => {
    if (!(error instanceof UnparsedError)) throw error;
    throw unparsed(
      error.position === null ? 'it holds a stray character or ends too early' : `at position ${error.position}`,
    );
  });

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The value of a JSON text; undefined for a blank one.
 * @param what names the text in messages
 * @throws HttpError
 */
export function parsedBody(bytes: Buffer, what = 'body'): unknown {
  return parseJson(decode(bytes, what), what);
}

function decode(bytes: Buffer, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest(`the ${what} is not valid UTF-8`);
  }
}

function parseJson(text: string, what: string): unknown {
  if (text.trim() === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw unparsed(reason(error as Error), what);
  }
  // Most bodies cannot contain the name, escaped or not, and skip the walk.
  if ((text.includes('__proto__') || text.includes('\\u00')) && hasProto(body)) throw unparsed(NO_PROTO, what);
  return body;
}

const NO_PROTO = 'the name __proto__ is not allowed';

const unparsed = (problem: string, what = 'body'): HttpError => badRequest(`the ${what} is not valid JSON: ${problem}`);

/** V8 quotes the text around the position; the position alone suffices, and keeps content out of logs. */
function reason({ message }: Error): string {
  if (/end of JSON input/.test(message)) return 'it ends too early';
  return /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0] ?? 'it holds a stray character';
}

/** Looks no deeper than `JsonShape` lets a body be. */
function hasProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto);
}
