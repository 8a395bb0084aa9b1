import type { FastifyInstance, RouteOptions } from 'fastify';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from './http.js';

/** Shorter answers fit into one packet: compressed, they arrive no earlier. */
const MIN_BYTES = 1_400;
/** Levels go to 11. From 5 on, an answer takes several times as long and is a tenth smaller. */
const QUALITY = 4;

const compress = promisify(brotliCompress);

/**
 * Compresses JSON answers of GETs to pages of this site, as the console's: on a slow network its lists take most of the time. No other
 * client gets them compressed: from the length of a compressed answer a page of another site could tell its content (BREACH,
 * https://www.breachattack.com), and programs have fast networks.
 */
export function addCompression(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.access === 'public' || ![route.method].flat().includes('GET')) return;
    // After the hook that gives the answer its ETag.
    route.onSend = [...[route.onSend ?? []].flat(), compressed];
  });
}

async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || reply.statusCode !== 200) return payload;
  if (payload.length < MIN_BYTES || !isForPageOfThisSite(request)) return payload;
  const etag = reply.getHeader('etag');
  // A strong tag would promise the same bytes to all clients.
  if (typeof etag === 'string') void reply.header('etag', etag.replace(/^"/, 'W/"'));
  void reply
    .header('content-encoding', 'br')
    .header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding', 'Sec-Fetch-Site'].flat().join(', '))
    .removeHeader('content-length');
  return compress(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
}

/** Browsers set the header themselves, on HTTPS and localhost, where they take `br`. */
const isForPageOfThisSite = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'same-origin' && /\bbr\b(?!;q=0(\D|$))/.test(headers['accept-encoding'] ?? '');
