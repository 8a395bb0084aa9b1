import { canonicalRequest } from './calls/canonical.js';
import { promptOf, withText } from './prompt.js';
import { cut } from './tasks/matcher.js';
import { findTasks } from './tasks/find-tasks.js';
import { ENCLOSED, MORE_SHAPES } from './tasks/more-prompts.fixture.js';
import { OTHER_SHAPES } from './tasks/other-prompts.fixture.js';
import { made, SHAPES } from './tasks/prompts.fixture.js';

const TEXT = 'Where is "my" parcel?\nIt\\s late — very late.';

describe('the prompt of a task', () => {
  it.each(Object.entries({ ...SHAPES, ...MORE_SHAPES, ...ENCLOSED, ...OTHER_SHAPES }))(
    'takes another text in the place of its own: %s',
    (_, shape) => {
      const calls = made(shape, 60, 1).map(({ call }) => call);
      const certain = findTasks(calls).tasks.filter((task) => task.cut === 'certain');
      expect(certain).not.toEqual([]);
      for (const { id, template } of certain) {
        const { request } = calls.findLast((call) => cut(template, canonicalRequest(call.request)!))!;
        const asked = withText({ template, request }, TEXT);
        expect([id, asked && cut(template, canonicalRequest(asked)!)?.text]).toEqual([id, TEXT]);
        expect(Object.keys(asked!)).toEqual(Object.keys(request));
      }
    },
  );

  it('is that of its newest call, with the texts that calls had', () => {
    const calls = made(SHAPES['bare text'] ?? Object.values(SHAPES)[0]!, 60, 1).map(({ call }) => call);
    const order = { teacher: 'acme/gpt', task: null, unmapped: 'null', heads: [], targetAgreement: 0.9 } as const;
    const found = promptOf(calls, { ...order, promptVersions: 'newest' });
    const newest = calls.toSorted((one, other) => (one.at < other.at ? 1 : -1))[0]!;
    expect(found).toMatchObject({ kind: 'prompt', request: newest.request });
    expect(found.kind === 'prompt' && found.known.length).toBe(calls.length);
    const [first, ...others] = calls.map((call) => ({ ...call, format: 'anthropic' }));
    const older = promptOf([{ ...first!, format: 'openai' }, ...others], { ...order, promptVersions: 'newest' });
    expect(older).toMatchObject({ request: first!.request });
    expect(promptOf(others, { ...order, promptVersions: 'newest' })).toMatchObject({ kind: 'refused' });
    const refused = promptOf(calls, { ...order, promptVersions: 'newest', task: 'unknown' });
    expect(refused).toMatchObject({ kind: 'refused', reason: expect.stringContaining('have no task unknown') });
  });
});
