import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Outcome } from '../support/requests.js';
import { artifactOf, claims, ends } from '../support/training.js';
import { eventually } from '#test/support/eventually.js';
import { ALL_EPOCHS, epochsOf, type SystemUnderKills } from './system.js';

/** Runners that are killed while they train, and while they answer. */
export function killedRunners(system: SystemUnderKills): void {
  it('a runner that is killed half way through a job and started again goes on from the checkpoint', async () => {
    const { fleet } = system;
    const job = await system.train();
    const member = await system.trainer(job);
    await fleet.kill(member);
    await fleet.start(member);
    await system.untilEnded(job);
    const events = await system.jobEvents(job.id);
    expect({ ends: ends(events), claims: claims(events) }).toEqual({
      ends: ['training-job-completed.v1'],
      claims: [1, 2],
    });
    expect(artifactOf(events)).toEqual(artifactOf(system.whole));
    expect(epochsOf(events)).toEqual(ALL_EPOCHS);
    const { logs } = await system.api().get<{ logs: { message: string }[] }>(`/felix/training-jobs/${job.id}/logs`);
    expect(logs.filter(({ message }) => /^Going on from epoch [1-9]/.test(message))).toHaveLength(1);
    await fleet.orphansEnded();
  });

  const TEXT = Array.from({ length: 500 }, (_, at) => `Anna Smith flies to Paris with Boris on day ${at}`).join('. ');
  const CALLS = 8;
  const slow = () =>
    ask(system.fleet.urls()[0]!, system.key, 'POST', '/inference', {
      model_id: 'anneal/encoder-base-v1',
      text: [TEXT, TEXT, TEXT],
      schema: { entities: ['person', 'city'] },
    });
  /** Calls enough to keep the runners at work, and what became of them; kills come while none is answered yet. */
  const whileCalled = async (kill: () => Promise<void>) => {
    let answered = 0;
    const calls = Array.from({ length: CALLS }, () => slow().finally(() => (answered += 1)));
    await sleep(100 + system.random.below(150));
    expect(answered).toBeLessThan(CALLS);
    await kill();
    return Promise.all(calls);
  };
  const statuses = (outcomes: readonly Outcome[]) =>
    outcomes.map((outcome) => (outcome.kind === 'answered' ? outcome.status : outcome.reason));

  it('calls in flight on a runner that is killed are answered by another', async () => {
    const [member] = system.fleet.of('gpu-runner');
    const outcomes = await whileCalled(() => system.fleet.kill(member!));
    await system.fleet.start(member!);
    expect(statuses(outcomes)).toEqual(outcomes.map(() => 200));
  });

  it('calls in flight when all runners are killed end in 200 or 503', async () => {
    const { fleet } = system;
    const outcomes = await whileCalled(async () => {
      await Promise.all(fleet.of('gpu-runner').map((member) => fleet.kill(member)));
    });
    await fleet.startAll();
    expect(new Set(statuses(outcomes)).difference(new Set([200, 503]))).toEqual(new Set());
    expect(statuses(outcomes)).toContain(503);
    await eventually(async () => statuses([await slow()])[0] === 200);
  });
}
