import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { isRecord } from '#primitives/values.js';
import type { FastifyRequest } from './http.js';

/** What clients have before the paths of `/v1`: it twice, what other vendors have there, or more slashes. */
const BASES = /^(?:\/+(?:v1|openai|anthropic|api))+\/+(?=[^/?#])/;
/** A call of a model, whatever is before it. It begins at the first of several slashes: a long row of them is read once. */
const CALL =
  /^(.*?)(?<!\/)\/+((?:chat\/)?completions|responses(?:\/(?:compact|input_tokens))?|embeddings|messages(?:\/count_tokens)?)\/*(?=[?#]|$)/;
/** Parts of other APIs that end like a call of a model. */
const OTHERS = /\/(?:threads|conversations|assistants)\//;
/** Azure's clients name the model in the path (https://learn.microsoft.com/azure/ai-foundry/openai/reference), as older ones of OpenAI did. */
const DEPLOYMENT = /\/(?:deployments|engines)\/([^?#]+)$/;

/** The address of a request at this API's own base URL, whichever the client has. */
export const atOwnBase = (method: string | undefined, url: string): string => readBase(method, url).url;

function readBase(method: string | undefined, url: string): { readonly url: string; readonly deployment?: string } {
  const path = url.replace(BASES, '/v1/');
  const [called, base = '/v1', endpoint] = (method === 'POST' && CALL.exec(path)) || [];
  if (called === undefined || OTHERS.test(`${base}/`)) return { url: path };
  const deployment = DEPLOYMENT.exec(base)?.[1];
  const own = `/v1/${endpoint}${path.slice(called.length)}`;
  return deployment === undefined ? { url: own } : { url: own, deployment };
}

const deployments = new WeakMap<IncomingMessage, string>();

/** The same for a request that comes in: a model in its path is the one of its body (`takeDeployments`). */
export function rebased(request: IncomingMessage): string {
  const { url, deployment } = readBase(request.method, request.url ?? '');
  if (deployment !== undefined) deployments.set(request, deployment);
  return url;
}

/** Writes the model of a request's path into its body. */
export function takeDeployments(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', ({ raw, body }: FastifyRequest, _, done) => {
    const deployment = deployments.get(raw);
    if (deployment !== undefined && isRecord(body)) (body as Record<string, unknown>)['model'] = decoded(deployment);
    done();
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
