import type { Client } from '#apps/demo/client.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { Distributed } from '#test/deployments/distributed.js';
import { isOdd, isYes, summary, type SteadyLoad } from './outages-load.js';
import type { Fleet } from './support/fleet.js';
import { flaws, ofType, readLog, repeated } from './support/log.js';
import type { Answered } from './support/requests.js';
import { everyAnswer } from './support/snapshot.js';
import { claims, ended, ends, eventsOf, type Job } from './support/training.js';
import { eventually } from '#test/support/eventually.js';
import { allEvaluated } from './support/evaluated.js';

/** A system that has had a hard time, and what was asked of it. */
export interface Survivor {
  readonly load: SteadyLoad;
  readonly fleet: Fleet;
  readonly deployment: Distributed;
  /** A running API. */
  readonly api: () => Client;
  /** Jobs begun meanwhile, each with this number of epochs. */
  readonly jobs: readonly Job[];
  readonly epochs: number;
}

/** Stops the load, and proves that all catches up alone, and that what was acknowledged is there once. */
export function nothingLostOrDoubled(survivor: () => Survivor): void {
  describe('the system after all outages', () => {
    let events: readonly RecordedEvent[];
    let is: Survivor;

    beforeAll(async () => {
      is = survivor();
      const { load, api, jobs, deployment } = is;
      await eventually(enough);
      await load.stop();
      const ofJob = ({ id }: Job) => api().get<Job>(`/felix/training-jobs/${id}`);
      await eventually(async () => (await Promise.all(jobs.map(ofJob))).every(ended));
      await eventually(async () => {
        const { datasets } = await api().get<{ datasets: { status: string }[] }>(
          '/felix/datasets?include_failed=true&limit=1000',
        );
        return datasets.length > load.uploaded.size && datasets.every(isSettled);
      });
      await eventually(() => allEvaluated(api()));
      events = await readLog(deployment.environment['ANNEAL_EVENT_STORE']!);
    });

    const yes = (asked: string) =>
      is.load.samples
        .filter((each) => each.asked === asked && isYes(each))
        .map(({ outcome }) => (outcome as Answered).body);
    /** Whether clients were told often enough to mean something. */
    const enough = () => yes('create project').length > 50 && yes('call').length > 50 && is.load.uploaded.size > 5;

    it('has given no unexpected answer', () => {
      const odd = [...is.load.samples.filter(isOdd).map(summary), ...is.load.oddities];
      expect(odd.length > 0 ? [...odd, ...is.fleet.logged()] : odd).toEqual([]);
    });

    it('the log has no gap, nothing twice, and one order', () => {
      expect(flaws(events)).toEqual([]);
    });

    it('has every acknowledged project once, every other at most once', async () => {
      const created = ofType(events, 'project-created.v1').map(({ data }) => data['name'] as string);
      expect(repeated(created)).toEqual([]);
      const acknowledged = yes('create project').map(({ name: given }) => given as string);
      expect(acknowledged.filter((given) => !created.includes(given))).toEqual([]);
      const listed = await eventually(async () => {
        const { projects } = await is.api().get<{ projects: { name: string }[] }>('/projects');
        return projects.length === created.length && projects.map((project) => project.name);
      });
      expect(listed.toSorted()).toEqual(created.toSorted());
    });

    it('has every answered call recorded once, every other at most once', async () => {
      const metered = ofType(events, 'call-metered.v1').map(({ data }) => data['inferenceId'] as string);
      expect(repeated(metered)).toEqual([]);
      const contents = ofType(events, 'call-content.v1').map(({ data }) => data['inferenceId'] as string);
      expect(repeated(contents)).toEqual([]);
      const given = [...yes('call'), ...yes('adapter call')].map((body) => body.inference_id as string);
      const recorded = new Set(metered);
      expect(given.filter((id) => !recorded.has(id) || !contents.includes(id))).toEqual([]);
      await eventually(async () => {
        const { total } = await is.api().get<{ total: number }>('/inferences?limit=1');
        return total === metered.length;
      });
    });

    it('has every accepted upload ready, with all its rows', async () => {
      expect(ofType(events, 'dataset-version-failed.v1').map(({ data }) => data['reason'])).toEqual([]);
      expect(repeated(ofType(events, 'dataset-version-ready.v1').map(({ data }) => data['versionId']))).toEqual([]);
      for (const [set, { id, rows }] of is.load.uploaded) {
        const { versions } = await is.api().get<{ versions: { status: string }[] }>(`/felix/datasets/${set}`);
        // A version whose request got 503 waits for an upload that never comes.
        const begun = versions.filter(({ status }) => status !== 'initialized');
        expect(begun).toEqual([expect.objectContaining({ id, status: 'ready', sample_size: rows })]);
      }
    });

    it('has every job complete, with each of its epochs once', () => {
      for (const { id } of is.jobs) {
        const own = eventsOf(events, id);
        expect([ends(own), repeated(claims(own))]).toEqual([['training-job-completed.v1'], []]);
        const epochs = ofType(own, 'training-epoch-completed.v1').map(({ data }) => data['epoch']);
        expect(epochs).toEqual(Array.from({ length: is.epochs }, (_, epoch) => epoch + 1));
      }
    });

    it('read models are what a rebuild from the log gives', async () => {
      const before = await everyAnswer(is.api());
      await is.fleet.end('SIGKILL');
      await is.deployment.dropReadModels();
      await is.fleet.startAll();
      await eventually(async () => {
        const now = await everyAnswer(is.api());
        return Object.keys(now).length === Object.keys(before).length && JSON.stringify(now) === JSON.stringify(before);
      }).catch(() => undefined);
      expect(await everyAnswer(is.api())).toEqual(before);
    });
  });
}

const isSettled = ({ status }: { readonly status: string }): boolean =>
  ['initialized', 'ready', 'failed'].includes(status);
