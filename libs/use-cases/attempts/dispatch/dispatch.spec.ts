import { writeFile } from 'node:fs/promises';
import { ProcessManagerHost } from '#log/process-manager/host.js';
import { openRunnerBench, type RunnerBench } from '#test/support/runner-bench.js';
import { evaluationAttempts } from '../evaluation-attempts.js';
import { trainingAttempts } from '../training-attempts.js';
import { dispatch } from './process-manager.js';
import { SILENCE_MS } from './pending.js';
import { Runners } from './runners.js';

const rows = Array.from({ length: 20 }, (_, row) => `row ${row}`);

describe('dispatch of training jobs and evaluations', () => {
  let bench: RunnerBench;
  let runners: Runners;
  let host: ProcessManagerHost;
  let later: number;
  beforeEach(async () => {
    bench = await openRunnerBench();
    later = 0;
    runners = new Runners(bench.bus, () => performance.now() + later);
    const { application } = bench;
    const managers = [trainingAttempts, evaluationAttempts].map((work) => dispatch(application, work, runners));
    const timer = (tick: () => void) => {
      const interval = setInterval(tick, 10);
      return () => clearInterval(interval);
    };
    host = new ProcessManagerHost({
      eventStore: application.ports.eventStore,
      managers,
      timer,
    }).start();
  });
  afterEach(async () => {
    await host.close();
    await bench.close();
    await runners.close();
  });
  const attempts = async (type: string, id: string) =>
    (await bench.events('job', id)).filter((event) => event.type === type).map(({ data }) => data['attempt']);

  it('leaves a job waiting until the first runner arrives', async () => {
    await bench.requestJob('j1', rows);
    bench.startRunner();
    await bench.until('training-job-completed.v1', 'j1');
    expect(await attempts('training-attempt-claimed.v1', 'j1')).toEqual([1]);
  });

  it('takes jobs in the order of their requests', async () => {
    for (const id of ['j1', 'j2', 'j3']) await bench.requestJob(id, rows, 1);
    bench.startRunner();
    await bench.until('training-job-completed.v1', 'j3');
    const claims = ['j1', 'j2', 'j3'].map((id) => bench.until('training-attempt-claimed.v1', id));
    const [first, second, third] = (await Promise.all(claims)).map(({ position }) => position);
    // The first two are small: there is room for both at once.
    expect([first! < third!, second! < third!]).toEqual([true, true]);
  });

  it("starts another workspace's evaluation after one evaluation, and a training job at once, while one workspace has 200 evaluations waiting", async () => {
    const gate = bench.newFile();
    await bench.requestEvaluation('first', [`wait 1 ${gate}`]);
    const waiting = Array.from({ length: 199 }, (_, index) => `waiting-${index}`);
    for (const id of waiting) await bench.requestEvaluation(id, ['row']);
    bench.startRunner();
    await bench.until('evaluation-attempt-claimed.v1', 'first');
    await bench.requestEvaluation('other', ['row'], 'w2');
    await bench.requestJob('job', rows, 1, 'w2');
    await bench.until('training-job-completed.v1', 'job');
    await writeFile(gate, '');
    const other = await bench.until('evaluation-attempt-claimed.v1', 'other');
    const claims = await Promise.all(waiting.map((id) => bench.events('evaluation', id)));
    const before = claims
      .flat()
      .filter(({ type, position }) => type === 'evaluation-attempt-claimed.v1' && position < other.position);
    expect(before.length).toBeLessThanOrEqual(1);
  });

  it("starts another workspace's job after one job, however many one workspace has waiting", async () => {
    const gate = bench.newFile();
    const begun = ['first', 'beside'];
    for (const id of begun) await bench.requestJob(id, [...rows, `wait 1 ${gate}`], 1);
    const waiting = Array.from({ length: 18 }, (_, index) => `waiting-${index}`);
    for (const id of waiting) await bench.requestJob(id, rows, 1);
    bench.startRunner();
    for (const id of begun) await bench.until('training-attempt-claimed.v1', id);
    await bench.requestJob('other', rows, 1, 'w2');
    await writeFile(gate, '');
    const other = await bench.until('training-attempt-claimed.v1', 'other');
    const claims = await Promise.all(waiting.map((id) => bench.events('job', id)));
    const before = claims
      .flat()
      .filter(({ type, position }) => type === 'training-attempt-claimed.v1' && position < other.position);
    expect(before.length).toBeLessThanOrEqual(1);
    expect(other.data['attempt']).toBe(1);
  });

  it("gives a silent runner's job to another, and accepts no completion when the first speaks again", async () => {
    const gate = bench.newFile();
    bench.startRunner({ heartbeatMs: 1e8 });
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.until('training-checkpoint-saved.v1', 'j1');
    bench.startRunner();
    for (let second = 0; second <= SILENCE_MS; second += 1_000) {
      later += 1_000;
      runners.callItself();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await bench.until('training-attempt-lost.v2', 'j1');
    await writeFile(gate, '');
    await bench.until('training-job-completed.v1', 'j1');
    expect(await attempts('training-attempt-claimed.v1', 'j1')).toEqual([1, 2]);
    expect(await attempts('training-job-completed.v1', 'j1')).toEqual([2]);
  });

  it('takes back the attempts of a restarted runner', async () => {
    const gate = bench.newFile();
    bench.startRunner({ name: 'host' });
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.until('training-checkpoint-saved.v1', 'j1');
    bench.startRunner({ name: 'host' });
    const { data } = await bench.until('training-attempt-lost.v2', 'j1');
    expect(data).toMatchObject({ reason: 'its runner was restarted', cause: 'runner' });
    await writeFile(gate, '');
    await bench.until('training-job-completed.v1', 'j1');
  });

  it('leaves a job waiting while no runner has its engine and base model, and gives it to the first that has both', async () => {
    const { name, version, module } = bench.engine;
    bench.startRunner({ engines: [] });
    bench.startRunner({ engines: [{ name, version, module, baseModels: [] }] });
    await bench.requestJob('j1', rows, 1);
    // An offer without needs is taken: the runners are there.
    await bench.requestEvaluation('e1', rows);
    await bench.offer('evaluation', 'e1', 1);
    await bench.until('evaluation-failed.v1', 'e1');
    const able = bench.startRunner();
    const { data } = await bench.until('training-attempt-claimed.v1', 'j1');
    expect(data).toMatchObject({ attempt: 1, runnerId: able.runnerId });
    await bench.until('training-job-completed.v1', 'j1');
  });

  it('fails a job whose process dies every time, and says so', async () => {
    bench.startRunner();
    await bench.requestJob('j1', ['crash 1', 'crash 2', 'crash 3']);
    const { data } = await bench.until('training-job-failed.v1', 'j1');
    expect(data['reason']).toMatch(
      /^Training was interrupted 5 times in a row without progress; the last time: .*code 7/,
    );
    expect(await attempts('training-attempt-lost.v2', 'j1')).toEqual([1, 2, 3, 4, 5]);
  });
});
