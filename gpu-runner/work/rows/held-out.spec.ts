import { normalised } from '#rows/report/normalised.js';
import type { Example } from '#gpu-runner/engines/engine.js';
import { corrected, readSplit, splitHeldOut } from './held-out.js';

const rows = (count: number, label?: (row: number) => string): Example[] =>
  Array.from({ length: count }, (_, row) => ({ text: `row ${row}`, ...(label ? { labels: [label(row)] } : {}) }));

describe('held-out rows', () => {
  it('are the same for the same rows, share and seed, and others for another seed', () => {
    const examples = rows(100);
    expect(splitHeldOut(examples, 0.1, 7)).toEqual(splitHeldOut(examples, 0.1, 7));
    expect(splitHeldOut(examples, 0.1, 7).heldOut).not.toEqual(splitHeldOut(examples, 0.1, 8).heldOut);
  });

  it('are the requested share, and together with the rest all rows, once each', () => {
    const examples = rows(100);
    const { train, heldOut } = splitHeldOut(examples, 0.2, 1);
    expect(heldOut).toHaveLength(20);
    expect([...train, ...heldOut].toSorted((a, b) => (a.text < b.text ? -1 : 1))).toEqual(
      examples.toSorted((a, b) => (a.text < b.text ? -1 : 1)),
    );
  });

  it('are in proportion to the classes', () => {
    const examples = rows(100, (row) => (row < 80 ? 'often' : 'seldom'));
    const { heldOut } = splitHeldOut(examples, 0.1, 3);
    expect(heldOut.filter(({ labels }) => labels?.[0] === 'often')).toHaveLength(8);
    expect(heldOut.filter(({ labels }) => labels?.[0] === 'seldom')).toHaveLength(2);
  });

  it('never include all rows of a class', () => {
    const examples = rows(11, (row) => (row === 0 ? 'once' : `class ${row % 5}`));
    const { train } = splitHeldOut(examples, 0.5, 3);
    expect(new Set(train.map(({ labels }) => labels?.[0])).size).toBe(6);
  });

  it('are at least one of two rows, and none of a single one', () => {
    expect(splitHeldOut(rows(2), 0.01, 1).heldOut).toHaveLength(1);
    expect(splitHeldOut(rows(1), 0.5, 1).heldOut).toHaveLength(0);
  });

  it('are none if each row is the only one of its class', () => {
    expect(splitHeldOut(rows(9, String), 0.5, 1).heldOut).toHaveLength(0);
  });

  it('of rows with distinct sets of classes leave every class a row', () => {
    const examples = [['a'], ['a', 'b'], ['b', 'c'], ['c', 'd'], ['b', 'e']].map((labels) => ({ text: '', labels }));
    const { train, heldOut } = splitHeldOut(examples, 0.4, 1);
    expect(heldOut.length).toBeGreaterThan(0);
    expect(new Set(train.flatMap(({ labels }) => labels))).toEqual(new Set(['a', 'b', 'c', 'd', 'e']));
  });

  it('of several tasks are in proportion to the classes of each, and leave every class a row', () => {
    const [topics, tones] = [Array.from('aaaaaabbbc'), Array.from('xxxyz')];
    const examples = Array.from({ length: 200 }, (_, row) => ({
      text: `${row}`,
      tasks: [
        ...(row % 3 === 0 ? [] : [{ task: 'topic', labels: [topics[row % 10]!], multiLabel: false }]),
        {
          task: 'tone',
          labels: row % 7 === 0 ? [] : [tones[(row * 3) % 5]!, ...(row === 1 ? ['rare'] : [])],
          multiLabel: true,
        },
      ],
    }));
    const { train, heldOut } = splitHeldOut(examples, 0.1, 7);
    const shareOf = (task: string, label: string) => {
      const has = ({ tasks }: (typeof examples)[number]) =>
        tasks.some((each) => each.task === task && each.labels.includes(label));
      return heldOut.filter(has).length / examples.filter(has).length;
    };
    expect([train.length, heldOut.length]).toEqual([180, 20]);
    for (const [task, label] of ['topic a', 'topic b', 'topic c', 'tone x', 'tone y', 'tone z'].map((each) =>
      each.split(' '),
    ))
      expect(Math.abs(shareOf(task!, label!) - 0.1)).toBeLessThan(0.06);
    expect(shareOf('tone', 'rare')).toBe(0);
    expect(splitHeldOut(examples, 0.1, 7)).toEqual({ train, heldOut });
    expect(splitHeldOut(examples, 0.1, 8)).not.toEqual({ train, heldOut });
  });

  it('of several tasks are corrected task by task', async () => {
    const row = (...tasks: [string, string][]) => ({
      text: 'a',
      tasks: tasks.map(([task, label]) => ({ task, labels: [label], multiLabel: false })),
    });
    expect(corrected(row(['topic', 'x'], ['tone', 'y']), [row(['tone', 'z'])])).toEqual(
      row(['topic', 'x'], ['tone', 'z']),
    );
  });

  it('stay the same for a dataset when others follow in another group', async () => {
    const datasets: readonly (readonly Example[])[] = [
      rows(40),
      rows(9).map(({ text }) => ({ text: `later ${text}` })),
    ];
    const by = { share: 0.1, seed: 7 };
    const alone = await readSplit(datasets.slice(0, 1), by, of);
    const both = await readSplit(datasets, { ...by, groups: [1, 1] }, of);
    expect(both.heldOut.slice(0, alone.heldOut.length)).toEqual(alone.heldOut);
    expect(both.heldOut).toHaveLength(alone.heldOut.length + 1);
    expect(both.train.slice(0, alone.train.length)).toEqual(alone.train);
    const together = await readSplit(datasets, by, of);
    expect(together).toMatchObject(splitHeldOut(datasets.flat(), 0.1, 7));
  });
});

const of = {
  read: (some: readonly (readonly Example[])[]) => Promise.resolve(some.flat()),
  textOf: ({ text }: Example) => text,
};

describe('rows that are split by their texts', () => {
  const by = { share: 0.2, seed: 7, byTextFrom: 0 };
  const keysOf = (some: readonly Example[]) => new Set(some.map(({ text }) => normalised(text)));

  it('are split as without that if no text is repeated', async () => {
    const examples = rows(100, (row) => `class ${row % 3}`);
    expect(await readSplit([examples], by, of)).toEqual({
      ...splitHeldOut(examples, 0.2, 7),
      ...{ followed: 0, excluded: 0, corrected: 0 },
    });
  });

  it('have no text on both sides, in any spelling, and lose no row', async () => {
    const examples = rows(40).flatMap(({ text }) => [{ text }, { text: ` ${text.toUpperCase()}! ` }]);
    const { train, heldOut, followed, excluded } = await readSplit([examples], by, of);
    expect(keysOf(train).isDisjointFrom(keysOf(heldOut))).toBe(true);
    expect([train.length, heldOut.length, followed, excluded]).toEqual([64, 16, 8, 0]);
  });

  it('repeated in a later group stay on the side of their text', async () => {
    const [first, later] = [rows(40), rows(60).map(({ text }) => ({ text: `${text}.` }))];
    const alone = await readSplit([first], by, of);
    const both = await readSplit([first, later], { ...by, groups: [1, 1] }, of);
    expect(both.heldOut.slice(0, alone.heldOut.length)).toEqual(alone.heldOut);
    expect(keysOf(both.train).isDisjointFrom(keysOf(both.heldOut))).toBe(true);
    expect([both.heldOut.length, both.followed, both.excluded]).toEqual([20, 8, 0]);
  });

  it('are not trained on if a group that was split row by row holds out their text', async () => {
    const twice = [...rows(20), ...rows(20)];
    const { train, heldOut, excluded } = await readSplit(
      [twice, rows(20)],
      { ...by, groups: [1, 1], byTextFrom: 1 },
      of,
    );
    expect(heldOut.slice(0, 8)).toEqual(splitHeldOut(twice, 0.2, 7).heldOut);
    expect(keysOf(train).isDisjointFrom(keysOf(heldOut))).toBe(true);
    expect(excluded).toBeGreaterThan(0);
    expect(train.length + heldOut.length + excluded).toBe(60);
  });

  it('are not trained on if their text is excluded, but may be held out', async () => {
    const examples = rows(40);
    const { train, heldOut, excluded } = await readSplit([examples], by, of, [examples.slice(0, 10)]);
    expect(heldOut).toEqual(splitHeldOut(examples, 0.2, 7).heldOut);
    expect(keysOf(train).isDisjointFrom(keysOf(examples.slice(0, 10)))).toBe(true);
    expect(train.length + heldOut.length + excluded).toBe(40);
  });

  it('are all trained on beside a group that is held out as a whole, except those with its texts, and so are later groups', async () => {
    const [learned, whole, later] = [rows(40), rows(12).map(({ text }) => ({ text: `${text}!` })), rows(50)];
    const by = { share: 0, seed: 0, byTextFrom: 0, wholeGroup: 1 };
    const alone = await readSplit([learned, whole], { ...by, groups: [1, 1] }, of);
    expect(alone).toEqual({ train: learned.slice(12), heldOut: whole, followed: 0, excluded: 12, corrected: 0 });
    const more = await readSplit([learned, whole, later], { ...by, groups: [1, 1, 1] }, of);
    expect(more).toEqual({
      ...{ train: [...learned.slice(12), ...later.slice(12)], heldOut: whole },
      ...{ followed: 0, excluded: 24, corrected: 0 },
    });
  });

  it('of a correcting group replace those before, which keep their side and number', async () => {
    const first = rows(40, (row) => `class ${row % 2}`).map((row) => ({ ...row, entities: [] }));
    const alone = await readSplit([first], by, of);
    const [held, learned] = [alone.heldOut[0]!, alone.train[0]!];
    const corrections = [held, learned, { text: 'new' }].map(({ text }) => ({ text, labels: ['right'] }));
    const both = await readSplit([first, corrections], { ...by, groups: [1, 1], correctsFrom: 1 }, of);
    const right = (row: Example) => ({ ...row, labels: ['right'] });
    expect(both.heldOut).toEqual([right(held), ...alone.heldOut.slice(1)]);
    expect(both.train).toEqual([right(learned), ...alone.train.slice(1), { text: 'new', labels: ['right'] }]);
    expect(both.corrected).toBe(2);
    const newest = [{ text: 'new', labels: ['newest'] }];
    const later = await readSplit([first, corrections, newest], { ...by, groups: [1, 1, 1], correctsFrom: 1 }, of);
    expect(later.heldOut).toEqual(both.heldOut);
    expect(later.train.at(-1)).toEqual(newest[0]);
  });

  it('without a text are split one by one', async () => {
    const examples = rows(10).map(() => ({ text: '' }));
    expect((await readSplit([examples], by, of)).heldOut).toHaveLength(2);
  });
});
