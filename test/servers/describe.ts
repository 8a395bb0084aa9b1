/**
 * The servers that `*.servers.spec.ts` run against. `npm run test:servers` starts them and names them here, in the environment; a
 * suite whose server is not named is skipped, and says so.
 */
export interface TestServers {
  /** `esdb://...`; every suite that wants a log of its own starts one, this one is shared. */
  readonly esdb?: readonly NamedServer[];
  /** Without a database: suites choose their own. */
  readonly mongodb?: readonly NamedServer[];
  readonly nats?: readonly NamedServer[];
  /** `s3://bucket?endpoint=...`; its credentials are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. */
  readonly s3?: readonly NamedServer[];
  /** The control address of toxiproxy, `http://...`. */
  readonly toxiproxy?: readonly NamedServer[];
}

export interface NamedServer {
  /** For people: `NATS 2.15.2`. */
  readonly name: string;
  readonly address: string;
}

/** The environment variable that holds `TestServers` as JSON. */
export const TEST_SERVERS = 'ANNEAL_TEST_SERVERS';

export const testServers = (): TestServers => JSON.parse(process.env[TEST_SERVERS] ?? '{}') as TestServers;

/** Runs a suite once for each server of a kind; where there is none it is skipped, with the reason in its name. */
export function describeWithServer(kind: keyof TestServers, suite: (server: NamedServer) => void): void {
  const servers = testServers()[kind] ?? [];
  for (const server of servers) describe(server.name, () => suite(server));
  if (servers.length === 0)
    describe.skip(`skipped: no ${kind} server is named in ${TEST_SERVERS}; run npm run test:servers`, () => {
      test(`on ${kind}`, () => undefined);
    });
}
