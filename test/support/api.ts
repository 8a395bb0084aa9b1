import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServingOptions } from '#apps/runner/role.js';
import { createLogger } from '#primitives/logging/logger.js';
import { startRoles } from '#apps/standalone/roles.js';
import { compose } from '#apps/composition/compose.js';
import { auditOf, workOf } from '#apps/composition/work-health.js';
import {
  bootstrap,
  createApiKey,
  createTeam,
  openSession,
  passwordGeneration,
  registerUser,
} from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { newApiKey, newToken } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { onServers, placesOnServers } from '#test/deployments/test-api.js';
import { openApi, type ApiChanges } from './open-api.js';
import { ReadModels } from './read-models.js';

/** A team's first user at the API of a system. */
export interface TestApi {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Prefix of presigned object addresses, without a trailing slash. */
  readonly objectsUrl: string;
  /** An API key of the first user. */
  readonly key: string;
  /** A session token of the first user: `Authorization: Bearer`, or the cookie `anneal_session`. */
  readonly session: string;
  readonly teamId: string;
  /** The first user's. */
  readonly workspaceId: string;
  readonly application: Application;
  readonly settings: Settings;
  /** A JSON request with the key; give `headers` to replace that. A string body is sent as it is. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Resolves once every read model has taken in the log up to the end that it had at the call. */
  drained(): Promise<void>;
  /** Asks now, and again whenever the read models have taken in later events, until the answer holds. @returns that answer */
  until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T>;
  /** Adds a member to the team, with a workspace of her own. @returns an API key and a session token */
  colleague(): Promise<{ readonly key: string; readonly session: string }>;
  close(): Promise<void>;
}

/** A system that the spec has to itself; the team is the one that its first start made. */
export interface TestSystem extends TestApi {
  readonly app: NestFastifyApplication;
  /** The metrics that the operator's port would serve, with `metricsPort` set. */
  metrics(): Promise<string>;
  /** Makes another team. Its `close` only ends its use. */
  anotherTeam(): Promise<TestApi>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else the text. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  readonly body: any;
}

/** Parts of a test system that differ from those of production. */
export interface TestParts extends ApiChanges {
  readonly engines?: Engines<RegisteredEngine>;
  readonly serving?: ServingOptions;
}

/** On a busy machine weights load for longer than calls wait in production. */
const HANGS_AFTER_MS = 300_000;
/** Read models take longer there, too. */
const VISIBLE_WITHIN_MS = 60_000;

/**
 * A whole system on a free port: with the embedded adapters on a folder of its own, or where ANNEAL_TEST_DEPLOYMENT says `servers`
 * with the distributed ones, on databases and prefixes of its own. A spec that could do with a team of its own: `sharedTestApi`.
 */
export async function startTestApi(values: Partial<Settings> = {}, parts: TestParts = {}): Promise<TestSystem> {
  const { engines = ENGINES, serving = { loadPatienceMs: HANGS_AFTER_MS } } = parts;
  const ownFolder = values.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'anneal-test-')) : null;
  // A test that starts several times on the same servers brings their places.
  const places = onServers() && values.eventStore === undefined ? await placesOnServers() : null;
  const key = values.bootstrapApiKey ?? newApiKey();
  const settings = new Settings({
    port: 0,
    durability: 'normal',
    logLevel: 'silent',
    dataDir: ownFolder ?? '',
    bootstrapApiKey: key,
    ...places?.settings,
    ...values,
  });
  const system = await compose(settings, { engines, visibleWithinMs: VISIBLE_WITHIN_MS });
  const { application, secret, metrics, publicAddress } = system;
  const readModels = new ReadModels(application.ports);
  const roles = await startRoles(system, serving);
  metrics?.watchProjections(() => roles.projectionHost.status());
  metrics?.watchWork(() => workOf(system.bus));
  metrics?.watchAudit(() => auditOf(system.bus));
  const healthSources = [...system.healthSources, ...roles.healthSources];
  const { user } = await bootstrap(application, secret, settings);
  const { coordination } = application.ports;
  const generation = await passwordGeneration(coordination, user.userId);
  const { token } = await openSession(coordination, secret, user, generation);
  const logger = createLogger(settings.logLevel);
  const app = await openApi({ application, settings, secret, engines, healthSources, metrics, logger }, parts);
  await app.listen(settings.port ?? 0, settings.host);
  publicAddress.listensOn(settings.host, (app.getHttpServer().address() as AddressInfo).port);
  // Commands wait for read models only once a leader has signalled that they are live.
  await readModels.drained();
  const { url } = publicAddress;
  const member = async (teamId: string) => {
    const context = systemContext('test', null);
    const other = await registerUser(application, { email: `${newToken()}@example.com`, teamId }, context);
    const { secretKey } = await createApiKey(application, secret, other, { name: 'hers', expiresAt: null }, context);
    const { token: hers } = await openSession(coordination, secret, other, 0);
    return { key: secretKey, session: hers, teamId, workspaceId: other.workspaceId };
  };
  const teamOf = (first: Pick<TestApi, 'key' | 'session' | 'teamId' | 'workspaceId'>) => ({
    ...{ url, objectsUrl: places?.objectsUrl ?? `${url}/objects`, application, settings, ...first },
    call: (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = { 'x-api-key': first.key },
    ) => requestJson(url + path, method, body, headers),
    drained: () => readModels.drained(),
    until: <T>(ask: () => Promise<T>, holds: (answer: T) => boolean) => readModels.until(ask, holds),
    colleague: () => member(first.teamId),
  });
  return {
    ...teamOf({ key, session: token, teamId: user.teamId, workspaceId: user.workspaceId }),
    app,
    metrics: async () => (await metrics?.registry.metrics()) ?? '',
    async anotherTeam() {
      const { teamId } = await createTeam(application, 'Team', systemContext('test', null));
      return { ...teamOf(await member(teamId)), close: () => Promise.resolve() };
    },
    async close() {
      await app.close();
      await readModels.close();
      await roles.close();
      await system.close();
      await places?.remove();
      if (ownFolder !== null) await rm(ownFolder, { recursive: true, force: true });
    },
  };
}

/** A JSON request; a string body is sent as it is. */
export async function requestJson(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(text !== undefined && { body: text }),
  });
  const answer = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
}
