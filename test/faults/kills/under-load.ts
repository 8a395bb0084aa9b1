import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { Member, Role } from '../support/fleet.js';
import { creating, inferring, startingAndStopping, uploading, type Told } from '../support/loads.js';
import { flaws, ofType, repeated } from '../support/log.js';
import type { Answered } from '../support/requests.js';
import { seeded } from '../support/seed.js';
import { everyAnswer } from '../support/snapshot.js';
import { artifactOf, claims, ends, eventsOf, type Job } from '../support/training.js';
import { eventually } from '#test/support/eventually.js';
import { ALL_EPOCHS, epochsOf, JOB, type SystemUnderKills } from './system.js';
import { allEvaluated } from '../support/evaluated.js';

/**
 * Kills one process at a time, after all at once. Workers come first, because a new leader waits anew for a silent runner.
 */
export const KILLS = [
  ['worker', 'worker', 'api', 'gpu-runner'],
  ['api', 'api', 'gpu-runner', 'api'],
] as const;

/** Processes of all roles that are killed again and again while clients create, call, upload and train. */
export function killedUnderLoad(system: SystemUnderKills): void {
  let projects: ReturnType<typeof creating>;
  let calls: ReturnType<typeof inferring>;
  let uploads: ReturnType<typeof uploading>;
  let jobs: ReturnType<typeof startingAndStopping>;
  let job: Job;
  let events: readonly RecordedEvent[];

  beforeAll(async () => {
    const target = { urls: () => system.fleet.urls(), key: system.key, random: seeded(system.seed + 1), job: JOB };
    job = await system.train();
    const lost = await system.trainer(job);
    projects = creating(target, 3);
    calls = inferring(target, 3);
    uploads = uploading(target, 2);
    jobs = startingAndStopping(target, 1);
    await sleep(system.random.below(1_500));
    await Promise.all(system.fleet.members.map((member) => system.fleet.kill(member)));
    // The lost runner does not return, so another one must take over.
    const others = system.fleet.members.filter((member) => member !== lost);
    await Promise.all(others.map((member) => system.fleet.start(member)));
    await killInTurn(others);
    await eventually(enough);
    await Promise.all([projects, calls, uploads, jobs].map((load) => load.stop()));
    await system.untilEnded(job);
    await system.fleet.startAll();
    await eventually(settled);
    events = await system.log();
  });

  /** Kills and restarts each process at random moments. */
  async function killInTurn(members: readonly Member[]): Promise<void> {
    for (const role of KILLS.flatMap((roles) => system.random.shuffled<Role>(roles))) {
      await sleep(system.random.below(1_500));
      const living = members.filter((member) => member.role === role);
      const member = living[system.random.below(living.length)]!;
      await system.fleet.kill(member);
      await sleep(system.random.below(1_000));
      await system.fleet.start(member);
    }
  }

  /** Whether clients were told often enough to mean something. */
  const enough = () =>
    [projects, calls].every(({ told }) => answered(told, 200).length > 50) &&
    answered(jobs.told, 200).length > 5 &&
    uploads.processed.size > 5;

  async function settled(): Promise<boolean> {
    interface Records {
      readonly datasets: readonly { readonly status: string }[];
    }
    const { datasets } = await system.api().get<Records>('/felix/datasets?include_failed=true&limit=1000');
    const known = uploads.processed.size + uploads.left.size;
    const open = datasets.filter(({ status }) => !['initialized', 'ready', 'failed'].includes(status));
    return datasets.length > known && open.length === 0 && (await allEvaluated(system.api()));
  }

  const answered = (told: Told, status: number) =>
    [...told].filter(
      (entry): entry is [string, Answered] => entry[1].kind === 'answered' && entry[1].status === status,
    );
  const statuses = (told: Told) =>
    new Set([...told.values()].map((each) => (each.kind === 'answered' ? each.status : 0)));

  it('clients were told nothing but yes, not now, or nothing at all', () => {
    for (const { told } of [projects, calls, jobs])
      expect([...statuses(told).difference(new Set([200, 503, 0]))]).toEqual([]);
  });

  it('only killed processes end, and no child outlives its parent', async () => {
    expect(system.fleet.crashed()).toEqual([]);
    await system.fleet.orphansEnded();
  });

  it('the log has no gap, nothing twice, and one order', () => {
    expect(flaws(events)).toEqual([]);
  });

  it('every acknowledged project exists once, every other at most once', async () => {
    const created = ofType(events, 'project-created.v1').map(({ data }) => data['name'] as string);
    expect(repeated(created)).toEqual([]);
    const acknowledged = answered(projects.told, 200);
    expect(acknowledged.filter(([name]) => !created.includes(name))).toEqual([]);
    interface Listed {
      readonly projects: readonly { readonly id: string; readonly name: string }[];
    }
    const listed = await eventually(async () => {
      const list = (await system.api().get<Listed>('/projects')).projects;
      return list.length === created.length && list;
    });
    expect(listed.map(({ name }) => name).toSorted()).toEqual(created.toSorted());
    const ids = new Map(listed.map(({ id, name }) => [name, id]));
    expect(acknowledged.filter(([name, { body }]) => ids.get(name) !== body.id)).toEqual([]);
  });

  it('every answered call is on the log and in the history once, every other at most once', async () => {
    const metered = ofType(events, 'call-metered.v1').map(({ data }) => data['inferenceId'] as string);
    const withContent = ofType(events, 'call-content.v1').map(({ data }) => data['inferenceId'] as string);
    expect(repeated(metered)).toEqual([]);
    expect(repeated(withContent)).toEqual([]);
    const given = answered(calls.told, 200).map(([, { body }]) => String(body.inference_id));
    expect(given.filter((id) => !metered.includes(id) || !withContent.includes(id))).toEqual([]);
    const listed = await eventually(async () => {
      const all = await system.history();
      return all.length === metered.length && all;
    });
    expect(repeated(listed)).toEqual([]);
    expect(listed.toSorted()).toEqual(metered.toSorted());
    const texts: string[] = [];
    for (const id of withContent) {
      const { input } = await system.api().get<{ input: { text?: string } }>(`/inferences/${id}`);
      texts.push(String(input.text));
    }
    expect(texts.filter((text) => calls.told.has(text)).length).toBeGreaterThan(0);
    expect(repeated(texts.filter((text) => calls.told.has(text)))).toEqual([]);
  });

  it('every dataset whose processing was acknowledged is ready once, with all its rows', async () => {
    const ready = ofType(events, 'dataset-version-ready.v1');
    expect(repeated(ready.map(({ data }) => data['versionId']))).toEqual([]);
    for (const [name, { rows, id }] of uploads.processed) {
      const { versions } = await system.api().get<{ versions: object[] }>(`/felix/datasets/${name}`);
      expect(versions).toEqual([expect.objectContaining({ id, name, status: 'ready', sample_size: rows })]);
      const download = await fetch(`${system.fleet.urls()[0]}/felix/datasets/${name}/latest/download`, {
        headers: { 'x-api-key': system.key },
      });
      expect((await download.text()).trim().split('\n')).toHaveLength(rows);
    }
  });

  it('an upload whose client never came back waits as it was, and counts for nothing', async () => {
    for (const name of uploads.left) {
      const { versions } = await system.api().get<{ versions: object[] }>(`/felix/datasets/${name}`);
      expect(versions).toEqual([expect.objectContaining({ name, status: 'initialized' })]);
    }
  });

  it('a job whose runner never came back is completed by another, once, with the same files', async () => {
    const own = eventsOf(events, job.id);
    expect(ends(own)).toEqual(['training-job-completed.v1']);
    expect(repeated(claims(own))).toEqual([]);
    expect(claims(own).length).toBeGreaterThan(1);
    expect(epochsOf(own)).toEqual(ALL_EPOCHS);
    expect(artifactOf(own)).toEqual(artifactOf(system.whole));
  });

  it('every started job exists once and ends once, as the stop told its client', () => {
    const requested = ofType(events, 'training-job-requested.v1').map(({ data }) => data['modelName'] as string);
    const started = answered(jobs.told, 200);
    expect(repeated(requested.filter((name) => jobs.told.has(name)))).toEqual([]);
    expect(started.filter(([name]) => !requested.includes(name))).toEqual([]);
    for (const [, { body }] of started) {
      const own = ends(eventsOf(events, (body as Job).id));
      const outcome = jobs.stopped.get((body as Job).id);
      // A stop that is said again is told 200 again: 409 means that the job was over by itself.
      const status = outcome?.kind === 'answered' ? outcome.status : null;
      expect([own, status]).toEqual(
        status === 409 ? [['training-job-completed.v1'], 409] : [['training-job-cancelled.v1'], 200],
      );
    }
  });

  it('each completed job is evaluated automatically once, and no claim outlives its claimant', async () => {
    const completed = ofType(events, 'training-job-completed.v1').map(({ data }) => data['jobId'] as string);
    const asked = ofType(events, 'evaluation-requested.v1').map(({ data }) => data['trainingJobId'] as string);
    expect(asked.toSorted()).toEqual(completed.toSorted());
    expect(ofType(events, 'evaluation-completed.v1')).toHaveLength(completed.length);
    await eventually(async () => {
      const now = await system.log();
      const claimants = (type: string) => new Set(ofType(now, type).map(({ data }) => data['claimantId']));
      const standing = claimants('dataset-version-claimed.v1').difference(claimants('dataset-claims-released.v1'));
      return standing.size === 0;
    });
  });

  it('read models are what a rebuild from the log gives', async () => {
    const before = await everyAnswer(system.api());
    await system.fleet.end();
    await system.deployment.dropReadModels();
    await system.fleet.startAll();
    const complete = Object.keys(before).length;
    await eventually(async () => Object.keys(await everyAnswer(system.api())).length === complete);
    await eventually(async () => {
      const { count } = await system.api().get<{ count: number }>('/projects');
      return count === (before['/projects'] as { count: number }).count;
    });
    expect(await everyAnswer(system.api())).toEqual(before);
  });
}
