import { canonicalRequest } from '../calls/canonical.js';
import { findTasks, type Task } from './find-tasks.js';
import { cut } from './matcher.js';
import { chat, made, NAMES, SHAPES, textOf, with_, type MadeCall, type Shape } from './prompts.fixture.js';

/** Share of the calls whose text is cut right to the character, in tasks that are certain and of one kind. */
function shareRight(calls: readonly MadeCall[], tasks: readonly Task[]): number {
  const byId = new Map(calls.map((each) => [each.call.id, each]));
  const right = tasks.flatMap(({ members, cut: certainty }) => {
    const kinds = new Set(members.map(({ id }) => byId.get(id)!.task));
    return certainty === 'certain' && kinds.size === 1
      ? members.filter(({ id, text }) => byId.get(id)!.text === text)
      : [];
  });
  return right.length / calls.length;
}

const SEEDS = [1, 2, 3];
const found = (shape: Shape, count: number, seed: number) => {
  const calls = made(shape, count, seed);
  return { calls, ...findTasks(calls.map(({ call }) => call)) };
};

describe.each(Object.keys(SHAPES))('finding tasks: %s', (name) => {
  it.each([40, 300])('cuts the text out of %d calls, right to the character', (count) => {
    for (const seed of SEEDS) {
      const { calls, tasks } = found(SHAPES[name]!, count, seed);
      if (process.env['DEBUG_TASKS'])
        console.log(
          name,
          count,
          shareRight(calls, tasks),
          tasks.map((t) => [t.cut, t.reason, t.members.length, t.form, JSON.stringify(t.template.parts)]),
          JSON.stringify(findTasks(calls.map(({ call }) => call)).refused).slice(0, 300),
        );
      expect(shareRight(calls, tasks)).toBeGreaterThanOrEqual(0.96);
    }
  });
});
