import { readSettings, type Settings } from '#settings/index.js';

/**
 * Where `startTestApi` stores data: `servers`, or else embedded. `npm run test:servers` repeats API specs with
 * this set.
 */
export const TEST_DEPLOYMENT = 'ANNEAL_TEST_DEPLOYMENT';

export const onServers = (): boolean => process.env[TEST_DEPLOYMENT] === 'servers';

/** A log, databases, a bus prefix and an object prefix that one test system has to itself. */
export interface Places {
  readonly settings: Pick<Settings, 'eventStore' | 'readStore' | 'coordination' | 'bus' | 'objectStore'>;
  /** Prefix of presigned addresses, without a trailing slash. */
  readonly objectsUrl: string;
  remove(): Promise<void>;
}

/** @throws Error where a server that it needs is not named */
export async function placesOnServers(): Promise<Places> {
  // Imported lazily: the clients of four servers are half of a test system's imports.
  const { deployDistributed } = await import('./with-servers.js');
  const deployment = await deployDistributed({ apis: 0, workers: 0, runners: 0 });
  const { eventStore, readStore, coordination, bus, objectStore } = readSettings(deployment.environment);
  return {
    settings: { eventStore, readStore, coordination, bus, objectStore },
    objectsUrl: objectsUrlOf(deployment.environment['ANNEAL_OBJECT_STORE']!),
    remove: () => deployment.remove(),
  };
}

/** `s3://BUCKET/PREFIX?endpoint=URL` as its clients address it, by path. */
function objectsUrlOf(address: string): string {
  const { host, pathname, searchParams } = new URL(address);
  return `${searchParams.get('endpoint')}/${host}${pathname}`;
}

/** A suite about what only the embedded adapters have, such as files in the data folder: skipped on servers, saying why. */
export function describeEmbedded(name: string, reason: string, suite: () => void): void {
  if (!onServers()) describe(name, suite);
  else describe.skip(`${name} (skipped on servers: ${reason})`, suite);
}

/** As `describeEmbedded`, for one test. */
export function testEmbedded(name: string, reason: string, run: () => Promise<void>, timeoutMs?: number): void {
  if (!onServers()) it(name, run, timeoutMs);
  else it.skip(`${name} (skipped on servers: ${reason})`, run);
}
