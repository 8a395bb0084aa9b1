import { withoutAlias } from '#apps/api/edge/aliases.js';
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { trips } from '#test/support/trips.js';
import { problemsOf, type Problem } from './checks.js';
import { nameOf, needsSession, routesOf, type ApiDocument, type Route } from './document.js';
import { namingsOf, nobodys } from './isolation.js';
import type { Reference } from './references.js';
import { onTheWire, requestsOf, SEGMENTS, type FuzzRequest } from './requests.js';
import { Schemas } from './schemas.js';
import { Sender, type WireRequest } from './send.js';
import { MARKER, startWorld, type World } from './world.js';

/**
 * Requests made of the OpenAPI document (valid, almost valid and hostile) against every route. ANNEAL_FUZZ_REQUESTS says how
 * many, ANNEAL_FUZZ_ROUTES (a regular expression) against which. They are the same each time, so that a change is judged by what
 * it changes; another ANNEAL_FUZZ_SEED makes others, and ANNEAL_FUZZ_PATH, as a failure reports it, picks one of them.
 */
const { ANNEAL_FUZZ_REQUESTS = '600', ANNEAL_FUZZ_SEED = '1', ANNEAL_FUZZ_PATH, ANNEAL_FUZZ_ROUTES = '' } = process.env;
const REQUESTS = Number(ANNEAL_FUZZ_REQUESTS);
const DEADLINE_MS = 20_000;
const SETTLE_EVERY = 300;
const MAX_SHRINKING = 2_000;

describe('requests generated from the OpenAPI document', () => {
  let world: World;
  let sender: Sender;
  let schemas: Schemas;
  let routes: readonly Route[];
  const counted = new Map<string, number>();
  const spent = new Map<string, number>();
  let uploads = 0;
  beforeAll(async () => {
    world = await startWorld();
    sender = new Sender(world.api.url, DEADLINE_MS);
    const { body } = await world.api.call('GET', '/openapi.json', undefined, {});
    const document = body as ApiDocument;
    schemas = new Schemas(document);
    routes = routesOf(document).filter((route) => new RegExp(ANNEAL_FUZZ_ROUTES).test(nameOf(route)));
  });
  afterAll(async () => {
    sender.close();
    await world.close();
  });

  it('are answered as documented: no server error, nothing left open, nothing of another workspace', async () => {
    const seed = Number(ANNEAL_FUZZ_SEED);
    const known = new Map<string, string>();
    const any = fc.oneof(...routes.map((route) => requestsOf(schemas, route)));
    let sent = 0;
    for (let round = 0; sent < REQUESTS; round += 1) {
      const property = fc.asyncProperty(any, async (request) => {
        // Ends the search for a smaller request that fails.
        if (sent >= REQUESTS + MAX_SHRINKING) return;
        if ((sent += 1) % SETTLE_EVERY === 0) await world.settle();
        const problem = (await problemsWith(request)).find(({ signature }) => !known.has(signature));
        if (problem) throw new ProblemFound(problem);
      });
      const options = {
        seed: seed + round,
        numRuns: REQUESTS - sent,
        ...(ANNEAL_FUZZ_PATH !== undefined && { path: ANNEAL_FUZZ_PATH }),
      };
      const { failed, errorInstance, counterexamplePath } = await fc.check(property, options);
      if (!failed) break;
      if (!(errorInstance instanceof ProblemFound)) throw errorInstance;
      const again = `ANNEAL_FUZZ_SEED=${options.seed} ANNEAL_FUZZ_PATH=${counterexamplePath}`;
      known.set(errorInstance.problem.signature, `${errorInstance.problem.text}\n${again}`);
      if (ANNEAL_FUZZ_PATH !== undefined) break;
    }
    const report = [...known].map(([signature, text]) => `${signature}\n${text}`).join('\n\n');
    const idle = routes.map(nameOf).filter((name) => !counted.has(name));
    console.log(`${sent} requests of seed ${seed}: ${summary(counted)}; none succeeded: ${idle.join(', ')}`);
    const slow = [...spent].toSorted(([, a], [, b]) => b - a).slice(0, 5);
    console.log(`most time went to ${slow.map(([name, ms]) => `${name} (${Math.round(ms)} ms)`).join(', ')}`);
    expect(report).toBe('');
  });

  it('that name a thing of another workspace are answered as if it did not exist, and leave it as it is', async () => {
    const theirs = await world.snapshot();
    const key = await world.credentials('key');
    const session = await world.credentials('session');
    let asked = 0;
    const told: string[] = [];
    for (const route of routes) {
      for (const { kind, request } of namingsOf(schemas, route)) {
        const [foreign] = world.foreign.of(kind);
        if (foreign === undefined) throw new Error(`the other workspace has nothing of the kind ${kind}`);
        const answerFor = async (id: string) => {
          const resolve = (reference: Reference) => (reference.whose === 'foreign' ? id : world.resolve(reference));
          const { status, text } = await sender.send(onTheWire(request, resolve, needsSession(route) ? session : key));
          const body = text.replaceAll(id, 'ID').replaceAll(encodeURIComponent(id), 'ID');
          return `${status} ${body.replaceAll(REQUEST_IDS, '')}`;
        };
        const [asForeign, asUnknown] = [await answerFor(foreign), await answerFor(nobodys(foreign))];
        asked += 1;
        if (asForeign !== asUnknown || /^[23]/.test(asForeign))
          told.push(`${nameOf(route)}, ${kind}:\n  ${asForeign}\n  ${asUnknown}`);
      }
    }
    console.log(`${asked} places in which a request names a thing`);
    const unnamed = routes.filter((route) => route.path.includes('{') && namingsOf(schemas, route).length === 0);
    // Proposals are made where two people must agree, which no workspace here asks for: `proposals.spec` tries those of others.
    const proposals = ['GET /proposals/{id}', 'POST /proposals/{id}/confirm', 'POST /proposals/{id}/decline'];
    expect(unnamed.map(nameOf)).toEqual([...proposals, 'DELETE /workspace/members/{user_id}']);
    expect(told.join('\n')).toBe('');
    expect(await world.snapshot()).toEqual(theirs);
  });

  it('get 404 in the usual shape for an unknown path, and 405 for an unknown method', async () => {
    const segment = fc.oneof(fc.constantFrom(...routes.flatMap(({ path }) => path.split('/').slice(1))), SEGMENTS);
    const path = fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
    const method = fc.constantFrom(
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'HEAD',
      'TRACE',
      'QUERY',
      'PROPFIND',
    );
    const property = fc.asyncProperty(method, path, async (method, target) => {
      if (isTaken(method, target) || MODEL_CALL.test(target)) return;
      const headers = [['x-api-key', world.api.key]] as const;
      const { status, text, headers: said } = await sender.send({ method, target, headers, body: null });
      const seen = `${method} ${target}: ${status} ${text}`;
      expect(said['x-request-id']).toEqual(expect.any(String));
      // Pages for people, which are none of the document's.
      if (status === 302 || /html/.test(String(said['content-type']))) return;
      const path = target.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '');
      const allowed = isReadable(path) ? METHODS.filter((each) => isTaken(each, path)) : [];
      const told = method === 'OPTIONS' ? 204 : 405;
      if (allowed.length > 0) expect([seen, status]).toEqual([seen, told]);
      if (status === told) {
        // Routes that are not in the document allow more.
        const allow = String(said['allow']).split(', ');
        expect([seen, allow]).toEqual([seen, expect.arrayContaining(allowed)]);
        expect(allow).not.toContain(method);
      } else expect([400, 404]).toContain(status);
      if (method !== 'HEAD' && status !== 204) expect([seen, jsonOf(text)]).toMatchObject([seen, refusalAt(target)]);
    });
    await fc.assert(property, { numRuns: Math.min(1_000, REQUESTS), seed: Number(ANNEAL_FUZZ_SEED) });
  });

  /** A route is taken under each of its names, of which the document has two. */
  const isTaken = (method: string, target: string): boolean =>
    routes.some((route) => takes(route, method, withoutAlias({ method, url: target })));

  async function problemsWith(request: FuzzRequest): Promise<readonly Problem[]> {
    const { route } = request;
    const as = needsSession(route) && request.credential === 'key' ? 'session' : request.credential;
    const endsSession = route.path === '/auth/sign-out' && ['session', 'cookie'].includes(as);
    const credential = endsSession
      ? ([['authorization', `Bearer ${await world.spareSession()}`]] as const)
      : await world.credentials(as);
    const sent = onTheWire(request, world.resolve, credential);
    const problem = (kind: string, text: string): Problem => ({
      signature: `${nameOf(route)}: ${kind}`,
      text: `${text.slice(0, 600)}\n${asText(sent)}`,
    });
    try {
      const began = performance.now();
      const answer = await sender.send(sent);
      spent.set(nameOf(route), (spent.get(nameOf(route)) ?? 0) + performance.now() - began);
      count(`${Math.floor(answer.status / 100)}xx`);
      if (answer.status < 300) count(nameOf(route));
      const found = problemsOf(schemas, { route, sent, answer }).map((one) => ({
        ...one,
        text: `${one.text}\n${asText(sent)}`,
      }));
      if (answer.status < 300) await learn(route, answer.text);
      const all = answer.text + JSON.stringify(answer.headers);
      if (all.includes(MARKER))
        found.push(problem('something of another workspace', all.slice(all.indexOf(MARKER) - 300)));
      return found;
    } catch (error) {
      return [problem((error as Error).name, (error as Error).message)];
    }
  }

  async function learn({ path }: Route, text: string): Promise<void> {
    const body = jsonOf(text);
    world.own.learn(path, body);
    // Uploads as clients do next; only then can the version be processed.
    const address = (body as { readonly presigned_url?: string } | null)?.presigned_url;
    if (address !== undefined)
      await fetch(address, { method: 'PUT', body: FILES[(uploads += 1) % FILES.length]! as string });
  }

  function count(what: string): void {
    counted.set(what, (counted.get(what) ?? 0) + 1);
  }
});

/** Contents to upload, in turn. */
const FILES: readonly (string | Uint8Array)[] = [
  trips(20),
  '{"text":"Ada flew","entities":[["Ada","person"]]}\n{"text":5}\n',
  'text,label\na,b\n"c,d',
  '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n'.repeat(5),
  gzipSync(trips(12)),
  new Uint8Array([0x50, 0x41, 0x52, 0x31, 0, 0xff, 0x50, 0x41, 0x52, 0x31]),
  '',
  `[${'['.repeat(5000)}`,
];

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** A call of a model, which is answered at any base address. */
const MODEL_CALL = /\/(?:chat\/completions|completions|responses|embeddings|messages)\/*(?:[?#]|$)/;

/** Compatible routes keep their own envelope, whatever the method. */
const refusalAt = (target: string): object =>
  /^\/v1\/(?:v1\/)?(?:chat\/completions|completions|responses|embeddings|messages|files|fine_tuning|batches)(?:[/?]|$)/.test(
    target,
  )
    ? { error: { message: expect.any(String) } }
    : { detail: expect.any(String) };

/** Differ from answer to answer. */
const REQUEST_IDS = /req_[\w-]+|[0-9a-f]{8}-[0-9a-f-]{27}/g;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Whether the escapes in a path are right: the router takes no other. */
function isReadable(path: string): boolean {
  try {
    return decodeURI(path) !== '';
  } catch {
    return false;
  }
}

class ProblemFound extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.signature}\n${problem.text}`);
  }
}

/** Whether a route accepts a request; HEAD is GET without the body. */
function takes(route: Route, method: string, target: string): boolean {
  if (route.method !== method && !(route.method === 'GET' && method === 'HEAD')) return false;
  const pattern = route.path.replaceAll(/\{[^}]+\}/g, '[^/]*');
  return (
    new RegExp(`^${pattern}/?$`).test(target) ||
    (target.startsWith('/v1/models/') && route.path.startsWith('/v1/models/'))
  );
}

const asText = ({ method, target, headers, body }: WireRequest): string => {
  const content = body === null ? '' : typeof body === 'string' ? body : `<${Buffer.from(body).toString('hex')}>`;
  return `${method} ${target.slice(0, 500)} ${JSON.stringify(headers)}\n${content.slice(0, 500)}`;
};

/** Counts by class of status. */
const summary = (counted: ReadonlyMap<string, number>): string =>
  [...counted].flatMap(([what, times]) => (/^\dxx$/.test(what) ? [`${what} ${times}`] : [])).join(', ');
