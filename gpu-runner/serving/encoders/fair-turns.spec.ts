import { describe, expect, it } from '@jest/globals';
import type { Steps } from '#gpu-runner/engines/steps.js';
import { FairTurns } from './fair-turns.js';

describe('turns of workspaces in one thread', () => {
  const scripted = () => {
    let now = 0;
    const later: (() => void)[] = [];
    const done: string[] = [];
    const turns = new FairTurns(
      () => now,
      (run) => later.push(run),
    );
    function* work(name: string, steps: number, msAStep = 2): Steps<string> {
      for (let step = 0; step < steps; step += 1) {
        now += msAStep;
        done.push(name);
        if (step + 1 < steps) yield;
      }
      return name;
    }
    const turn = (count = 1) => {
      for (let at = 0; at < count; at += 1) later.shift()?.();
    };
    return { turns, work, turn, done, later };
  };

  it('run short calls at once if nothing is waiting', () => {
    const { turns, work, later } = scripted();
    expect(turns.run('a', 1, true, work('a', 1))).toBe('a');
    expect(later).toEqual([]);
  });

  it('make calls that exceed their estimate take turns, without starting over', async () => {
    const { turns, work, turn, done } = scripted();
    const long = turns.run('a', 1, true, work('a', 50));
    expect(long).toBeInstanceOf(Promise);
    expect(done.length).toBeLessThan(5);
    void turns.run('b', 2, false, work('b', 10));
    turn(20);
    expect(done.filter((name) => name === 'b')).toHaveLength(10);
    turn(50);
    expect(await long).toBe('a');
    expect(done.filter((name) => name === 'a')).toHaveLength(50);
  });

  it("run another workspace's short call before the next step of a long one", () => {
    const { turns, work, turn, done } = scripted();
    void turns.run('a', 1, false, work('long', 1_000));
    turn(100);
    expect(turns.run('b', 2, true, work('short', 1))).toBe('short');
    turn();
    expect(done.slice(99)).toEqual(['long', 'short', 'long']);
  });

  it('share the time evenly between workspaces, whatever the number of calls and the length of steps', () => {
    const { turns, work, turn, done } = scripted();
    for (let call = 0; call < 16; call += 1) void turns.run('a', call, false, work('a', 1_000, 10));
    void turns.run('b', 16, false, work('b', 1_000, 2));
    turn(600);
    const time = {
      a: done.filter((name) => name === 'a').length * 10,
      b: done.filter((name) => name === 'b').length * 2,
    };
    expect(Math.abs(time.a - time.b)).toBeLessThanOrEqual(10);
  });

  it('make a workspace with many short calls wait for its turn too', async () => {
    const { turns, work, turn, done } = scripted();
    const long = turns.run('a', 1, false, work('long', 50));
    turn();
    for (let call = 0; call < 200; call += 1) void turns.run('b', 2 + call, true, work('short', 1));
    turn(100);
    expect(await long).toBe('long');
    expect(done.filter((name) => name === 'short').length).toBeGreaterThan(40);
  });

  it('do not charge a workspace for time when nobody else was waiting', () => {
    const { turns, work, turn, done } = scripted();
    for (let call = 0; call < 100; call += 1) void turns.run('a', call, true, work('a', 1));
    void turns.run('a', 100, false, work('a', 100));
    void turns.run('b', 101, false, work('b', 100));
    done.length = 0;
    turn(40);
    expect(done.filter((name) => name === 'a')).toHaveLength(20);
  });

  it('alternate between the calls of one workspace', () => {
    const { turns, work, turn, done } = scripted();
    void turns.run('a', 1, false, work('first', 10));
    void turns.run('a', 2, false, work('second', 10));
    turn(4);
    expect(done).toEqual(['first', 'second', 'first', 'second']);
  });

  it('skip the remaining steps of an abandoned call', async () => {
    const { turns, work, turn, done } = scripted();
    const dropped = turns.run('a', 1, false, work('dropped', 10)) as Promise<string>;
    void turns.run('a', 2, false, work('kept', 10));
    turn(2);
    turns.drop(1);
    await expect(dropped).rejects.toThrow('dropped');
    turn(3);
    expect(done).toEqual(['dropped', 'kept', 'kept', 'kept', 'kept']);
  });

  it('continue after a failed call', async () => {
    const { turns, work, turn } = scripted();
    const failing = function* (): Steps<string> {
      throw new Error('no');
    };
    const failed = turns.run('a', 1, false, failing()) as Promise<string>;
    const other = turns.run('a', 2, false, work('other', 1));
    turn(2);
    await expect(failed).rejects.toThrow('no');
    expect(await other).toBe('other');
  });
});
