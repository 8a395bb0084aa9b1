import type { Example } from '../engine/engine.js';
import { readSplit, splitHeldOut } from './held-out.js';

const rows = (count: number, label?: (row: number) => string): Example[] =>
  Array.from({ length: count }, (_, row) => ({ text: `row ${row}`, ...(label ? { labels: [label(row)] } : {}) }));

describe('rows held out', () => {
  it('are the same for the same rows, share and seed, and others for another seed', () => {
    const examples = rows(100);
    expect(splitHeldOut(examples, 0.1, 7)).toEqual(splitHeldOut(examples, 0.1, 7));
    expect(splitHeldOut(examples, 0.1, 7).heldOut).not.toEqual(splitHeldOut(examples, 0.1, 8).heldOut);
  });

  it('are the stated share, and with the rest all rows, once each', () => {
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

  it('never take all rows of a class', () => {
    const examples = rows(11, (row) => (row === 0 ? 'once' : `class ${row % 5}`));
    const { train } = splitHeldOut(examples, 0.5, 3);
    expect(new Set(train.map(({ labels }) => labels?.[0])).size).toBe(6);
  });

  it('are at least one of two rows, and none of a single one', () => {
    expect(splitHeldOut(rows(2), 0.01, 1).heldOut).toHaveLength(1);
    expect(splitHeldOut(rows(1), 0.5, 1).heldOut).toHaveLength(0);
  });

  it('are none where each row is the only one of its class', () => {
    expect(splitHeldOut(rows(9, String), 0.5, 1).heldOut).toHaveLength(0);
  });

  it('of rows with distinct sets of classes leave every class a row', () => {
    const examples = [['a'], ['a', 'b'], ['b', 'c'], ['c', 'd'], ['b', 'e']].map((labels) => ({ text: '', labels }));
    const { train, heldOut } = splitHeldOut(examples, 0.4, 1);
    expect(heldOut.length).toBeGreaterThan(0);
    expect(new Set(train.flatMap(({ labels }) => labels))).toEqual(new Set(['a', 'b', 'c', 'd', 'e']));
  });

  it('stay the same in a dataset when others follow it in a group of their own', async () => {
    const datasets: readonly (readonly Example[])[] = [rows(40), rows(9)];
    const by = { share: 0.1, seed: 7 };
    const read = (some: readonly (readonly Example[])[]) => Promise.resolve(some.flat());
    const alone = await readSplit(datasets.slice(0, 1), by, read);
    const both = await readSplit(datasets, { ...by, groups: [1, 1] }, read);
    expect(both.heldOut.slice(0, alone.heldOut.length)).toEqual(alone.heldOut);
    expect(both.heldOut).toHaveLength(alone.heldOut.length + 1);
    expect(both.train.slice(0, alone.train.length)).toEqual(alone.train);
    const together = await readSplit(datasets, by, read);
    expect(together).toEqual(splitHeldOut(datasets.flat(), 0.1, 7));
  });
});
