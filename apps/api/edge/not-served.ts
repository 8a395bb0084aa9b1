import type { FastifyInstance } from 'fastify';
import { atOwnBase } from './base-urls.js';
import { HttpError } from './errors/http-error.js';

/** Parts of OpenAI's and Anthropic's APIs that clients ask for and that are not served: what there is instead. */
const NOT_SERVED: readonly (readonly [path: RegExp, instead: string])[] = [
  [/^\/v1\/conversations\b/, 'conversations are not kept here; continue a response with previous_response_id'],
  [/^\/v1\/chat\/completions\b/, 'stored chats are in GET /inferences, by the inference_id of x_pioneer'],
  [/^\/v1\/messages\/batches\b/, 'batches of messages are not served; send them as an OpenAI batch (POST /v1/batches)'],
  [/^\/v1\/uploads\b/, 'files do not come in parts; send the whole file to POST /v1/files'],
  [/^\/v1\/(?:realtime|audio)\b/, 'audio is not served; chats with models of a provider take it as input_audio'],
  [/^\/v1\/images\b/, 'images are not made here; chats with models of a provider take them as input'],
  [/^\/v1\/(?:assistants|threads)\b/, "OpenAI's assistants are not served; use POST /v1/responses"],
  [/^\/v1\/evals\b/, 'evaluations are POST /felix/evaluations'],
  [/^\/v1\/(?:moderations|vector_stores|containers|videos|skills)\b/, 'this part of the API is not served'],
];

/** Files of OpenAI's API have the same path as those of Anthropic's, which have another shape. */
const ANTHROPIC_FILES = 'files of the Messages API are not kept here; send them as base64 in a block of the message';

/**
 * Answers 404 for parts of other APIs that are not served, with what there is instead. Call it before `refuseOtherMethods`, after the hook
 * that checks credentials.
 */
export function refuseNotServed(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ is404, method, originalUrl, headers }, _, done) => {
    const isAnthropic = headers['anthropic-version'] !== undefined;
    if (!is404 && !isAnthropic) return done();
    const path = atOwnBase(method, originalUrl).replace(/[?#].*$/s, '');
    if (/^\/v1\/files\b/.test(path) && isAnthropic) return done(notServed(ANTHROPIC_FILES));
    if (!is404 || method === 'OPTIONS' || headers.upgrade !== undefined) return done();
    const found = NOT_SERVED.find(([pattern]) => pattern.test(path));
    done(found && notServed(found[1]));
  });
}

const notServed = (message: string): HttpError => new HttpError(404, message, { code: 'not_served' });
