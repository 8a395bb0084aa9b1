import type { JsonObject } from '#domain/json.js';
import { DiffTally, type VersionDiff } from './version-diff.js';

function diffOf(from: readonly JsonObject[], to: readonly JsonObject[]): VersionDiff {
  const tally = new DiffTally();
  for (const row of from) tally.addFrom(row, 'ner');
  for (const row of to) tally.addTo(row, 'ner');
  return tally.diff();
}
const row = (text: string, ...entities: [string, string][]): JsonObject => ({ text, entities });

describe('the difference of two versions', () => {
  it('names rows added, removed and relabelled, by their text, in any order', () => {
    const from = [row('a'), row('b', ['b', 'x']), row('c')];
    const to = [row('c'), row('b', ['b', 'y']), row('d')];
    const { unchanged, changes } = diffOf(from, to);
    expect(unchanged).toBe(1);
    expect(changes).toEqual({
      added: { total: 1, shown: [{ fromRow: null, toRow: 3 }] },
      removed: { total: 1, shown: [{ fromRow: 1, toRow: null }] },
      changed: { total: 1, shown: [{ fromRow: 2, toRow: 2 }] },
    });
  });

  it('treats labels in another order or notation as equal', () => {
    const from: JsonObject = { text: 'Ada and Bo', entities: [['Ada', 'person'], ['Bo', 'person']] }; // prettier-ignore
    const to: JsonObject = { text: 'Ada and Bo', entities: [{ text: 'Bo', label: 'person', start: 8, end: 10 }, { text: 'Ada', label: 'person', start: 0, end: 3 }] }; // prettier-ignore
    expect(diffOf([from], [to])).toMatchObject({ unchanged: 1, changes: { changed: { total: 0 } } });
  });

  it('compares rows with the same text in order, and counts the rest as added or removed', () => {
    const { unchanged, changes } = diffOf([row('a'), row('a', ['a', 'x'])], [row('a'), row('a'), row('a')]);
    expect(unchanged).toBe(1);
    expect(changes.changed.shown).toEqual([{ fromRow: 2, toRow: 2 }]);
    expect(changes.added.shown).toEqual([{ fromRow: null, toRow: 3 }]);
  });

  it('treats rows without a text as equal only as a whole', () => {
    const tally = new DiffTally();
    for (const each of [{ city: 'Ghent' }, { city: 'Lyon' }]) tally.addFrom(each, 'records');
    for (const each of [{ city: 'Lyon' }, { city: 'Oslo' }]) tally.addTo(each, 'records');
    expect(tally.diff()).toMatchObject({
      unchanged: 1,
      changes: { added: { total: 1 }, removed: { total: 1 }, changed: { total: 0 } },
    });
  });
});
