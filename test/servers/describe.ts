/**
 * The servers that `*.servers.spec.ts` run against. `npm run test:servers` starts them and names them here, in the environment; a
 * suite whose server is not named is skipped, and says so.
 */
export interface TestServers {
  /** `esdb://...`; every suite that wants a log of its own starts one, this one is shared. */
  readonly esdb?: readonly NamedServer[];
  /** Addresses without a database; suites choose their own. */
  readonly mongodb?: readonly NamedServer[];
  readonly nats?: readonly NamedServer[];
  /** `s3://bucket?endpoint=...`; its credentials are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. */
  readonly s3?: readonly NamedServer[];
  /** The control address of toxiproxy, `http://...`. */
  readonly toxiproxy?: readonly NamedServer[];
}

export type ServerKind = keyof TestServers;

export interface NamedServer {
  /** Name for people: `NATS 2.15.2`. */
  readonly name: string;
  readonly address: string;
}

/** A server that could not be started. */
export interface MissingServer {
  readonly kind: ServerKind;
  readonly name: string;
  /** `go is not installed` */
  readonly reason: string;
}

/** The environment variable that holds `TestServers` as JSON. */
export const TEST_SERVERS = 'ANNEAL_TEST_SERVERS';
/** The environment variable that holds an array of `MissingServer` as JSON. */
export const MISSING_SERVERS = 'ANNEAL_TEST_SERVERS_MISSING';

export const testServers = (): TestServers => JSON.parse(process.env[TEST_SERVERS] ?? '{}') as TestServers;

const missingServers = (): readonly MissingServer[] =>
  JSON.parse(process.env[MISSING_SERVERS] ?? '[]') as readonly MissingServer[];

/** Runs a suite once for each server of a kind; where there is none it is skipped, with the reason in its name. */
export function describeWithServer(kind: ServerKind, suite: (server: NamedServer) => void): void {
  const servers = testServers()[kind] ?? [];
  for (const server of servers) describe(server.name, () => suite(server));
  const missing = missingServers().filter((server) => server.kind === kind);
  for (const { name, reason } of missing) skipped(`${name}: skipped: ${reason}`, kind);
  if (servers.length + missing.length === 0)
    skipped(`skipped: no ${kind} server is named in ${TEST_SERVERS}; run npm run test:servers`, kind);
}

/** As `describeWithServer`, but only on the first server of the kind, if any will do. */
export function describeWithOneServer(kind: ServerKind, suite: (server: NamedServer) => void): void {
  const [server] = testServers()[kind] ?? [];
  if (server) describe(server.name, () => suite(server));
  else describeWithServer(kind, suite);
}

function skipped(name: string, kind: ServerKind): void {
  describe.skip(name, () => {
    it(`on ${kind}`, () => undefined);
  });
}
