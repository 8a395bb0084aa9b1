import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../support/fleet.js';
import { creating, inferring } from '../support/loads.js';
import { ofType, repeated } from '../support/log.js';
import { seeded } from '../support/seed.js';
import { suspend } from '#test/support/suspend.js';
import { eventually } from '#test/support/eventually.js';
import type { SystemUnderKills } from './system.js';

/** Long enough for a running leader to list a project, shorter than the term of a lease. */
const LED_MS = 3_000;

/** A worker that leads, does not answer for longer than its term, and goes on as if nothing had been. */
export function stoppedLeaders(system: SystemUnderKills): void {
  interface Listed {
    readonly projects: readonly { readonly id: string }[];
  }
  const listed = async () => (await system.api().get<Listed>('/projects')).projects.map(({ id }) => id);
  const isSeen = async (id: string) => (await listed()).includes(id);
  const seen = (id: string) => eventually(() => isSeen(id));
  const create = async (name: string) => (await system.api().post<{ id: string }>('/projects', { name })).id;

  /** Stops the worker that leads the projections (SIGSTOP). */
  async function stopLeader(): Promise<Member> {
    for (const member of system.fleet.of('worker')) {
      await suspend(member.process!.pid);
      // Observed after the stop.
      const id = await create(`who leads, ${member.process!.pid}`);
      await sleep(LED_MS);
      if (!(await isSeen(id))) return member;
      kill(member.process!.pid, 'SIGCONT');
    }
    throw new Error('no worker leads');
  }

  it('two workers that both believe they lead make no document twice and none wrong', async () => {
    const target = { urls: () => system.fleet.urls(), key: system.key, random: seeded(system.seed + 2) };
    const loads = [creating(target, 2, 'led'), inferring(target, 3, 'led')];
    const leader = await stopLeader();
    await seen(await create('by the next leader'));
    kill(leader.process!.pid, 'SIGCONT');
    await seen(await create('by both'));
    await Promise.all(loads.map((load) => load.stop()));
    const log = await system.log();
    const created = ofType(log, 'project-created.v1').map(({ data }) => data['projectId'] as string);
    await eventually(async () => (await listed()).length === created.length);
    const all = await listed();
    expect(repeated(all)).toEqual([]);
    expect(all.toSorted()).toEqual(created.toSorted());
    // Numbered in the order of the log, without a gap.
    const metered = ofType(log, 'call-metered.v1').map(({ data }) => data['inferenceId']);
    const recorded = await eventually(async () => {
      const ids = await system.history();
      // Pages shift while calls are still coming in: then some are seen twice.
      return ids.length === metered.length && repeated(ids).length === 0 && ids;
    });
    expect(recorded).toEqual(metered.toReversed());
    expect(system.fleet.crashed()).toEqual([]);
  });
}
