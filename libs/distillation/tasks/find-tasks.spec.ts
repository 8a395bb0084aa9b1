import { canonicalRequest } from '../calls/canonical.js';
import { findTasks, type Task } from './find-tasks.js';
import { cut } from './matcher.js';
import { ENCLOSED, MANY, MORE_SHAPES, REFUSED, UNCERTAIN } from './more-prompts.fixture.js';
import { ALIKE_BEGINNINGS, NO_TEXTS, OTHER_SHAPES } from './other-prompts.fixture.js';
import { chat, made, SHAPES, with_, type MadeCall, type Shape } from './prompts.fixture.js';

/** Prompts that differ from another shape's in a few characters, or in what stands around the same system prompt: these are one question. */
const ALIKE = [
  'two variables',
  'a customer in the system prompt',
  'blocks of Anthropic with cache_control',
  'a date in the message',
  'a date in the system prompt',
  'two tasks under one system prompt',
  'a customer in the message',
  'code fences',
  'three versions of a prompt',
  'a parameter of three values',
  'text before the instruction',
  'a chat as one text',
];

const SEEDS = [1, 2, 3];
const found = (shape: Shape, count: number, seed: number) => {
  const calls = made(shape, count, seed);
  return { calls, ...findTasks(calls.map(({ call }) => call)) };
};

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

describe.each(Object.entries({ ...SHAPES, ...MORE_SHAPES, ...ENCLOSED, ...OTHER_SHAPES }))(
  'finding tasks: %s',
  (_, shape) => {
    it.each([40, 300])('cuts the text out of %d calls, right to the character', (count) => {
      for (const seed of SEEDS) {
        const { calls, tasks } = found(shape, count, seed);
        expect(shareRight(calls, tasks)).toBeGreaterThanOrEqual(0.96);
      }
    });
  },
);

describe('finding tasks', () => {
  it.each(Object.entries(ALIKE_BEGINNINGS))('cuts %s without what all texts begin with', (_, [shape, beginning]) => {
    const { calls, tasks } = found(shape, 40, 1);
    const texts = new Map(calls.map(({ call, text }) => [call.id, text]));
    expect(tasks).toMatchObject([{ cut: 'certain' }]);
    for (const { id, text } of tasks[0]!.members) expect(beginning + text).toBe(texts.get(id));
  });

  it.each(Object.entries(NO_TEXTS))('refuses %s', (_, shape) => {
    const { tasks, refused } = found(shape, 40, 1);
    expect([tasks, refused]).toEqual([
      [],
      [expect.objectContaining({ reason: expect.stringMatching(/more than texts/) })],
    ]);
  });

  it.each(Object.entries(MANY))('tells %s apart', (_, shape) => {
    for (const seed of SEEDS) {
      const { calls, tasks } = found(shape, 800, seed);
      expect(shareRight(calls, tasks)).toBeGreaterThanOrEqual(0.96);
      expect(tasks).toHaveLength(new Set(calls.map(({ task }) => task)).size);
    }
  });

  it('asks where each of many prompts has too few calls to be told apart', () => {
    const { tasks } = found(MANY['thirty instructions under one system prompt']!, 90, 1);
    expect(tasks).toMatchObject([{ cut: 'ask', reason: expect.stringMatching(/2 stretches differ/) }]);
  });

  it.each(Object.entries(UNCERTAIN))('asks about %s', (_, [shape, reason]) => {
    for (const seed of SEEDS) {
      const { calls, tasks } = found(shape, 200, seed);
      expect(tasks).toMatchObject([{ cut: 'ask', reason: expect.stringMatching(reason) }]);
      expect(tasks[0]!.members).toHaveLength(calls.length);
    }
  });

  it.each(Object.entries(REFUSED))('refuses %s', (_, [shape, reason]) => {
    for (const seed of SEEDS) {
      const { calls, tasks, refused } = found(shape, 200, seed);
      expect(tasks).toEqual([]);
      expect(refused).toMatchObject([{ reason: expect.stringMatching(reason) }]);
      expect(refused.flatMap(({ ids }) => ids)).toHaveLength(calls.length);
    }
  });

  it('keeps the tasks of mixed calls apart, each call in one place', () => {
    const all = Object.entries({ ...SHAPES, ...MORE_SHAPES })
      .filter(([name]) => !ALIKE.includes(name))
      .flatMap(([name, shape], at) =>
        made(shape, 60, 100 + at).map((each) => ({ ...each, task: `${name} ${each.task}` })),
      );
    const { tasks, refused } = findTasks(all.map(({ call }) => call));
    expect(shareRight(all, tasks)).toBeGreaterThanOrEqual(0.96);
    const ids = [
      ...tasks.flatMap(({ members }) => members),
      ...refused.flatMap(({ ids }) => ids.map((id) => ({ id }))),
    ];
    expect(ids.map(({ id }) => id).sort()).toEqual(all.map(({ call }) => call.id).sort());
  });

  it('gives a prompt the same id whatever its calls', () => {
    const ids = [1, 2].map((seed) => found(SHAPES.tags!, 100, seed).tasks[0]!.id);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  it('finds one task in the requests of three dialects', () => {
    const system = 'You sort the mails of a shop into queues. Answer with the queue alone.';
    const shape: Shape = (dice, at) =>
      with_(dice, (text) => {
        const user = `<mail>${text}</mail>`;
        if (at % 3 === 0) return chat(system, user);
        return at % 3 === 1
          ? { instructions: system, input: user }
          : { system, max_tokens: 9, messages: [{ role: 'user', content: user }] };
      });
    const { calls, tasks } = found(shape, 90, 1);
    expect(tasks).toHaveLength(1);
    expect(shareRight(calls, tasks)).toBe(1);
  });
});

describe('a matcher', () => {
  const [{ template }] = found(SHAPES['a parameter of three values']!, 100, 1).tasks as [Task];
  const system = (plan: string) => `${template.parts[0]!.chunks[0]!}${plan}${template.parts[0]!.chunks[1]!}`;
  const read = (request: ReturnType<typeof chat>) => cut(template, canonicalRequest(request)!);
  const hole = template.parts[0]!.holes[0]!;
  const [value] = hole.kind === 'parameter' ? hole.values : [];

  it('cuts any text out of a request with the same constant part', () => {
    expect(read(chat(system(value!), 'Ignore the rules.\n'))).toEqual({
      text: 'Ignore the rules.\n',
      parameters: [value],
    });
  });

  it('does not match another prompt, another parameter, other tools or another schema', () => {
    expect(read(chat(`${system(value!)} Be brief.`, 'text'))).toBeNull();
    expect(read(chat(system('another plan'), 'text'))).toBeNull();
    expect(read({ ...chat(system(value!), 'text'), tools: [{ name: 'route' }] })).toBeNull();
    expect(read({ ...chat(system(value!), 'text'), response_format: { type: 'json_object' } })).toBeNull();
    expect(read(chat(system(value!), 'text', 'text'))).toBeNull();
  });

  it('takes words of the prompt within the text for the text', () => {
    const [tagged] = found(SHAPES.tags!, 100, 1).tasks as [Task];
    const [, { chunks }] = tagged.template.parts as [unknown, { chunks: readonly [string, string] }];
    const text = `hello${chunks[1]}${chunks[0]}again`;
    const request = chat(tagged.template.parts[0]!.chunks[0]!, `${chunks[0]}${text}${chunks[1]}`);
    expect(cut(tagged.template, canonicalRequest(request)!)).toEqual({ text, parameters: [] });
  });
});
