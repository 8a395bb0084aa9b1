import { writeFile } from 'node:fs/promises';
import { derivedId } from '#application/execute.js';
import type { LedWork } from '#leadership/index.js';
import { openRunnerBench, type RunnerBench } from '#test/support/runner-bench.js';
import { startLedProcessManagers } from './process-managers.js';

const rows = Array.from({ length: 20 }, (_, row) => `row ${row}`);

describe('process managers led by two at once', () => {
  let bench: RunnerBench;
  let leaders: LedWork[];
  beforeEach(async () => {
    bench = await openRunnerBench();
    leaders = [];
  });
  afterEach(async () => {
    await Promise.all(leaders.map((leader) => leader.close()));
    await bench.close();
  });
  const lead = (): LedWork => {
    const leader = startLedProcessManagers(bench.application);
    leaders.push(leader);
    return leader;
  };
  const all = () => Array.fromAsync(bench.application.ports.eventStore.readAll());
  /** How often each type of event is in the log for each attempt, or for each job or evaluation where it has none. */
  const counts = async () => {
    const times: Record<string, number> = {};
    for (const { type, stream, data } of await all()) {
      const attempt = typeof data['attempt'] === 'number' ? ` ${data['attempt']}` : '';
      const key = `${stream.split('-')[0]} ${type}${attempt} ${stream}`;
      if (/requested|claimed|lost|completed|failed/.test(type) && !/epoch/.test(type))
        times[key] = (times[key] ?? 0) + 1;
    }
    return times;
  };

  test('each command has its effect once: claims, lost attempts, completions, evaluations', async () => {
    lead();
    lead();
    const jobs = ['j1', 'j2', 'j3', 'j4'];
    for (const id of jobs) await bench.requestJob(id, rows, 1);
    await bench.requestJob('dies', ['crash', 'crash', 'crash']);
    bench.startRunner();
    bench.startRunner();
    for (const id of jobs) {
      const { data } = await bench.until('training-job-completed.v1', id);
      expect(data['attempt']).toBe(1);
    }
    await bench.until('training-job-failed.v1', 'dies');
    for (const id of jobs) await bench.until('evaluation-completed.v1', derivedId(id, 'automatic-evaluation'));
    const times = await counts();
    expect(new Set(Object.values(times))).toEqual(new Set([1]));
    const ofType = (type: string) => Object.keys(times).filter((key) => key.includes(`${type}.v1`)).length;
    expect(ofType('training-attempt-claimed')).toBe(jobs.length + 5);
    expect(ofType('evaluation-requested')).toBe(jobs.length);
    expect(ofType('evaluation-attempt-claimed')).toBe(jobs.length);
  });

  test('a leader that takes over goes on with what its predecessor left, and takes nothing from runners at work', async () => {
    const gate = bench.newFile();
    const first = lead();
    bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.until('training-checkpoint-saved.v1', 'j1');
    await first.close();
    await bench.requestJob('j2', rows, 1);
    lead();
    await writeFile(gate, '');
    await bench.until('training-job-completed.v1', 'j1');
    await bench.until('training-job-completed.v1', 'j2');
    const times = await counts();
    expect(Object.keys(times).filter((key) => key.includes('lost'))).toEqual([]);
    expect(new Set(Object.values(times))).toEqual(new Set([1]));
  });
});
