import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '#apps/demo/client.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { distributed, type Distributed } from '#test/deployments/distributed.js';
import { describeDistributed } from '#test/deployments/with-servers.js';
import { describeWithServer } from '#test/servers/describe.js';
import { trips } from '#test/support/trips.js';
import { ALL_LINKS, SpoiltNetwork, type Link, type Toxic } from './network-proxies.js';
import { isYes, SteadyLoad } from './outages-load.js';
import { nothingLostOrDoubled } from './outages-outcome.js';
import { OwnServers } from './outages-servers.js';
import { Fleet } from './support/fleet.js';
import { ofType, readLog, repeated } from './support/log.js';
import { ask } from './support/requests.js';
import { upload, type Job } from './support/training.js';
import { eventually } from '#test/support/eventually.js';

interface Fault {
  readonly name: string;
  readonly links: readonly Link[];
  readonly toxics: readonly Toxic[];
  /** Whether every request must succeed; otherwise some may get 503. */
  readonly onlySlower: boolean;
}

const FAULTS: readonly Fault[] = [
  {
    ...{ name: '300 ms away', links: ALL_LINKS, onlySlower: true },
    toxics: [{ type: 'latency', attributes: { latency: 300, jitter: 50 } }],
  },
  {
    ...{ name: 'narrow (128 KiB/s a connection)', links: ALL_LINKS, onlySlower: true },
    toxics: [
      { type: 'bandwidth', attributes: { rate: 128 } },
      { type: 'bandwidth', attributes: { rate: 128 }, stream: 'upstream' },
    ],
  },
  {
    ...{ name: 'in small pieces', links: ALL_LINKS, onlySlower: true },
    toxics: [
      { type: 'slicer', attributes: { average_size: 200, size_variation: 100, delay: 200 } },
      { type: 'slicer', attributes: { average_size: 200, size_variation: 100, delay: 200 }, stream: 'upstream' },
    ],
  },
  {
    ...{ name: 'with connections reset after 1.5 s', links: ALL_LINKS, onlySlower: false },
    toxics: [{ type: 'reset_peer', attributes: { timeout: 1_500 } }],
  },
  {
    ...{ name: 'with half of the connections falling silent for 2 s and ending', links: ALL_LINKS, onlySlower: false },
    toxics: [{ type: 'timeout', attributes: { timeout: 2_000 }, toxicity: 0.5 }],
  },
  {
    ...{ name: 'with connections cut in the middle of answers', links: ALL_LINKS, onlySlower: false },
    toxics: [{ type: 'limit_data', attributes: { bytes: 20_000 } }],
  },
];
const SPOILT_MS = 8_000;
const EPOCHS = 8;

describeDistributed('the network between the processes and the servers', () => {
  describeWithServer('toxiproxy', ({ address: control }) => {
    const key = newApiKey();
    const jobs: Job[] = [];
    const closing: (() => Promise<void> | void)[] = [];
    let servers: OwnServers;
    /** The network of all processes but one worker. */
    let network: SpoiltNetwork;
    let networkOfOne: SpoiltNetwork;
    let deployment: Distributed;
    let fleet: Fleet;
    let load: SteadyLoad;

    const api = (index = 0) => new Client(fleet.urls()[index]!, key);
    const log = () => readLog(servers.addresses.eventStore);
    const ofJob = ({ id }: Job) => api().get<Job>(`/felix/training-jobs/${id}`);
    const train = async () => {
      const base = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }] };
      return api().post<Job>('/felix/training-jobs', { ...base, nr_epochs: EPOCHS, early_stopping_patience: 0 });
    };

    beforeAll(async () => {
      servers = await OwnServers.start();
      closing.push(() => servers.close());
      network = await SpoiltNetwork.between(control, servers.addresses);
      closing.push(() => network.close());
      networkOfOne = await SpoiltNetwork.between(control, servers.addresses);
      closing.push(() => networkOfOne.close());
      deployment = await distributed({ apis: 0, workers: 0, runners: 0 }, network.addresses);
      closing.push(() => deployment.remove());
      fleet = new Fleet(deployment, { ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_RATE_LIMITS: 'off' });
      closing.push(() => fleet.end('SIGKILL'));
      // Started first, so that it leads.
      const first = await deployment.spawn('worker', { ...environmentOfOne(), ANNEAL_BOOTSTRAP_API_KEY: key });
      fleet.members.push({ role: 'worker', process: first });
      await Promise.all([fleet.add('api', 2), fleet.add('worker', 1), fleet.add('gpu-runner', 2)]);
      await fleet.ready();
      await upload(api(), 'trips', trips(200));
      load = new SteadyLoad(
        fleet.urls().map((url) => ({ url, key })),
        'network',
      );
      closing.push(() => load.stop());
      load.repeat('create project', 'POST', '/projects', (name) => ({ name }));
      load.repeat('projects', 'GET', '/projects');
      load.repeat('call', 'POST', '/inference', (name) => ({
        model_id: 'anneal/encoder-base-v1',
        text: `${name}: Anna Smith flies to Paris`,
        schema: { entities: ['person', 'city'] },
      }));
      load.upload();
    });

    afterAll(async () => {
      for (const close of closing.reverse()) await close();
    });

    /** The same databases, prefix and bucket, by another way. */
    function environmentOfOne(): Record<string, string> {
      const hosts = ALL_LINKS.map((link) => [hostIn(network.addresses[link]), hostIn(networkOfOne.addresses[link])]);
      return Object.fromEntries(
        Object.entries(deployment.environment).map(([name, value]) => [
          name,
          hosts.reduce((replaced, [from, to]) => replaced.replace(from!, to!), value),
        ]),
      );
    }

    const answeredAgain = (since: number) =>
      eventually(() => {
        const yes = new Set(
          load.samples
            .filter(({ from }) => from > since)
            .filter(isYes)
            .map(({ asked }) => asked),
        );
        return ['create project', 'projects', 'call', 'upload url', 'process'].every((asked) => yes.has(asked));
      });

    it.each(FAULTS)('$name: calls get correct answers', async ({ links, toxics, onlySlower }) => {
      const from = performance.now();
      const job = await train();
      jobs.push(job);
      const mend = await network.spoil(links, toxics);
      await sleep(SPOILT_MS);
      await eventually(() => load.samples.filter((sample) => sample.to >= from).length > 20);
      const to = performance.now();
      await mend();
      await answeredAgain(to);
      await eventually(async () => (await ofJob(job)).is_terminal_status);
      const asked = load.samples.filter((sample) => sample.to >= from && sample.from <= to);
      if (onlySlower) expect(asked.filter((sample) => !isYes(sample))).toEqual([]);
    });

    it('appends whose answers are cut are made once', async () => {
      // From what a connection hardly begins with to what has room for some answers; then one is cut in its middle.
      const outcomes = new Map<string, number>();
      for (const bytes of [1_500, 3_000, 6_000]) {
        const mend = await network.spoil(['eventStore'], [{ type: 'limit_data', attributes: { bytes } }]);
        for (let nr = 0; nr < 20; nr += 1) {
          const name = `cut-${bytes}-${nr}`;
          const outcome = await ask(fleet.urls()[nr % 2]!, key, 'POST', '/projects', { name });
          outcomes.set(name, outcome.kind === 'answered' ? outcome.status : 0);
        }
        await mend();
      }
      const names = [...outcomes.keys()];
      const created = ofType(await log(), 'project-created.v1').map(({ data }) => data['name'] as string);
      expect(repeated(created)).toEqual([]);
      const answered = names.filter((name) => outcomes.get(name) === 200);
      expect(answered.length).toBeGreaterThan(10);
      expect(answered.length).toBeLessThan(names.length);
      expect(answered.filter((name) => !created.includes(name))).toEqual([]);
      expect(names.filter((name) => ![200, 503].includes(outcomes.get(name)!))).toEqual([]);
    });

    const LEADERS: readonly {
      readonly name: string;
      readonly links: readonly Link[];
      readonly toxics: readonly Toxic[];
    }[] = [
      {
        ...{ name: 'whose writes arrive when another leads', links: ['mongodb'] },
        toxics: [{ type: 'latency', attributes: { latency: 12_000 }, stream: 'upstream' }],
      },
      {
        ...{ name: 'that hears nothing of its lease, and nothing of runners', links: ['mongodb', 'nats'] },
        toxics: [
          { type: 'timeout', attributes: { timeout: 0 } },
          { type: 'timeout', attributes: { timeout: 0 }, stream: 'upstream' },
        ],
      },
    ];

    it.each(LEADERS)('a leader $name: the other takes over, and both together do nothing twice', async (fault) => {
      await firstLeads();
      jobs.push(await train());
      const mend = await networkOfOne.spoil(fault.links, fault.toxics);
      jobs.push(await train());
      for (const each of jobs.slice(-2)) await eventually(async () => (await ofJob(each)).is_terminal_status);
      await answeredAgain(performance.now());
      await mend();
      await answeredAgain(performance.now());
    });

    /** The worker that has a network of its own. */
    async function firstLeads(): Promise<void> {
      const [, other] = fleet.of('worker');
      await fleet.kill(other!);
      await eventually(async () => {
        const { details } = await api().get<{ details: Record<string, { degraded?: boolean }> }>('/health');
        return !details['projections']!.degraded && !details['process-managers']!.degraded;
      });
      await fleet.start(other!);
    }

    nothingLostOrDoubled(() => ({ load, fleet, deployment, api: () => api(), jobs, epochs: EPOCHS }));
  });
});

const hostIn = (address: string): string => /127\.0\.0\.1(?::|%3A)\d+/.exec(address)![0];
