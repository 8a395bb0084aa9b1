import { jest } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { callOnce, type Subscription } from '#ports/bus/port.js';
import { claimSubject, type ClaimReply, type ClaimRequest } from '#gpu-runner/contract/work.js';
import { processManagersOverBus } from '#log/process-manager/over-bus.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { eventually } from '#test/support/eventually.js';
import type { LedWork } from '#log/leadership/index.js';
import { openRunnerBench, type RunnerBench } from '#test/support/runner-bench.js';
import { startLedProcessManagers } from './led-process-managers.js';
import { serveRunners } from '#use-cases/attempts/serve.js';

const rows = Array.from({ length: 20 }, (_, row) => `row ${row}`);

describe('several workers', () => {
  let bench: RunnerBench;
  let leaders: LedWork[];
  let serving: Subscription;
  beforeEach(async () => {
    bench = await openRunnerBench();
    leaders = [];
    // The bench answers runners as one worker does; this is another, in turns with it.
    serving = serveRunners(bench.application);
  });
  afterEach(async () => {
    await Promise.all(leaders.map((leader) => leader.close()));
    await serving.stop();
    await bench.close();
  });
  const lead = (): LedWork => {
    const leader = startLedProcessManagers(bench.application);
    leaders.push(leader);
    return leader;
  };
  const all = () => Array.fromAsync(bench.application.ports.eventStore.readAll());
  /** Counts events by type and attempt, or by job or evaluation if they have none. */
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

  it('carry out each command once: claims, lost attempts, completions, evaluations', async () => {
    lead();
    lead();
    const jobs = ['j1', 'j2', 'j3', 'j4'];
    for (const id of jobs) await bench.requestJob(id, rows, 1);
    await bench.requestJob('dies', ['crash 1', 'crash 2', 'crash 3']);
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

  it('change leaders without taking anything from working runners, and the new one continues', async () => {
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

  it('read of the calls only what the last leader has left', async () => {
    const { eventStore } = bench.application.ports;
    const subscribe = jest.spyOn(eventStore, 'subscribe');
    const readCallsFrom = () =>
      subscribe.mock.calls.flatMap(([{ after, filter }]) => (filter?.types?.includes('call-opened.v1') ? [after] : []));
    const ofCalls = async () => {
      const { managers } = await processManagersOverBus(bench.bus, 10_000);
      return managers.find(({ name }) => name === 'interrupted-calls');
    };
    const [ended, open] = ['ended', 'open'].map((inferenceId) => derivedId(inferenceId, 'call'));
    const events = [
      ['call-opened.v1', ended],
      ['call-closed.v1', ended],
      ['call-opened.v1', open],
    ].map(([type, inferenceId], index) => ({
      ...{ type: type!, id: derivedId(inferenceId!, type!) },
      data: { inferenceId: inferenceId!, workspaceId: 'w', writer: 'one', at: new Date().toISOString() },
      metadata: { ...systemContext('test', 'w'), causationId: String(index), occurredAt: new Date().toISOString() },
    }));
    await eventStore.append('metered-today-one', NO_STREAM, events);
    const positions = (await all()).map(({ position }) => position);
    const first = lead();
    await eventually(async () => ((await ofCalls())?.position ?? '') >= positions.at(-1)!);
    await first.close();
    lead();
    await eventually(() => readCallsFrom().length === 2);
    expect(readCallsFrom()).toEqual([null, positions.at(-2)]);
  });

  it('give a claimed attempt to one of the runners that ask different workers for it', async () => {
    await bench.requestJob('j1', rows);
    const claim = async (runner: number) => {
      const request: ClaimRequest = { id: 'j1', attempt: 1, runnerId: `runner-${runner % 8}/boot` };
      const reply = await callOnce(bench.bus, claimSubject('training'), request, { deadlineMs: 10_000 });
      return (reply as unknown as ClaimReply).granted ? request.runnerId : null;
    };
    const granted = await Promise.all(Array.from({ length: 24 }, (_, runner) => claim(runner)));
    const claimed = (await bench.events('job', 'j1')).filter(({ type }) => type === 'training-attempt-claimed.v1');
    expect(claimed).toHaveLength(1);
    expect(granted.filter((runnerId) => runnerId !== null)).toEqual(Array(3).fill(claimed[0]!.data['runnerId']));
  });
});
