import type { Route } from './document.js';
import { unknownFields } from './named-fields.js';
import type { Schemas } from './schemas.js';
import { ENDLESS, type WireAnswer, type WireRequest } from './send.js';

/** A fault of an answer. */
export interface Problem {
  /** The same for the same fault, whatever was sent. */
  readonly signature: string;
  readonly text: string;
}

export interface Exchange {
  readonly route: Route;
  readonly sent: WireRequest;
  readonly answer: WireAnswer;
}

/** Routes that ask others, who may not answer. */
const ASKS_OTHERS = /hub|^\/health/;

/** Holds an answer to the document, and to what holds for every answer. */
export function problemsOf(schemas: Schemas, exchange: Exchange): readonly Problem[] {
  const { route, answer } = exchange;
  const found: Problem[] = [];
  const problem = (kind: string, text: string) =>
    found.push({ signature: `${route.method} ${route.path}: ${kind}`, text: text.slice(0, 600) });
  const { status } = answer;
  if (status >= 500 && !(status === 503 && ASKS_OTHERS.test(route.path))) problem(String(status), answer.text);
  if (typeof answer.headers['x-request-id'] !== 'string') problem(`${status} without a request id`, answer.text);
  const documented = route.operation.responses[String(status)];
  if (!documented) problem(`${status} is not documented`, answer.text);
  else for (const text of bodyProblems(schemas, exchange, documented)) problem(`${status}: ${generalised(text)}`, text);
  if (status === 422)
    for (const text of unknownFields(route, exchange.sent, parsed(answer.text)))
      problem(`422 ${generalised(text)}`, text);
  return found;
}

function bodyProblems(
  schemas: Schemas,
  { sent, answer }: Exchange,
  documented: Route['operation']['responses'][string],
): readonly string[] {
  const type = mediaTypeOf(answer);
  if (sent.method === 'HEAD' || answer.status === 304 || answer.status === 204)
    return answer.text === '' ? [] : [`a body with ${answer.status}`];
  const value = type === 'application/json' ? parsed(answer.text) : undefined;
  if (type === 'application/json' && value === undefined) return [`no JSON: ${answer.text.slice(0, 80)}`];
  // A 431 is sent before the headers are read.
  if (answer.status >= 400 && answer.status !== 431 && sent.headers.some(([name]) => name === 'anthropic-version'))
    return anthropicProblems(value);
  const content = documented.content ?? {};
  if (Object.keys(content).length === 0) return answer.text === '' ? [] : ['a body where none is documented'];
  const entry = content[type] ?? content['*/*'];
  if (!entry) return [`a body of type ${type}, documented are ${Object.keys(content).join(', ')}`];
  if (type === 'text/event-stream')
    return cutOff(answer.text) && !ENDLESS.test(sent.target) ? ['a stream without its end'] : [];
  return entry.schema && value !== undefined ? schemas.problems(entry.schema, value) : [];
}

/** The shape that the version header requests on any route. */
function anthropicProblems(value: unknown): readonly string[] {
  const { type, error, request_id } = (value ?? {}) as {
    type?: unknown;
    error?: { type?: unknown; message?: unknown };
    request_id?: unknown;
  };
  const asked = type === 'error' && typeof error?.type === 'string' && typeof error.message === 'string';
  return asked && typeof request_id === 'string'
    ? []
    : [`not the envelope that anthropic-version asks for: ${JSON.stringify(value)}`];
}

/** Every dialect says when a stream is over. */
const cutOff = (text: string): boolean =>
  !/data: \[DONE\]\n\n$|event: (?:message_stop|error|end|response\.(?:completed|incomplete|failed))\n[^\n]+\n\n$|"error"/.test(
    text,
  );

function mediaTypeOf({ headers, text }: WireAnswer): string {
  const type = headers['content-type'];
  return text === '' && type === undefined ? '' : String(type).split(';')[0]!.trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Removes numbers and the sent values. */
const generalised = (text: string): string =>
  text
    .replaceAll(/\/\d+/g, '/N')
    .replaceAll(/\d{2,}/g, 'N')
    .slice(0, 120);
