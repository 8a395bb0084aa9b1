import type { DatasetType, Head, ReadyVersion } from '#domain/dataset/index.js';
import { mergedContents, mergedType } from './merged-contents.js';

const GiB = 1024 ** 3;
const version = (size: number): ReadyVersion => ({
  ...{ versionId: 'v', workspaceId: 'w', name: 'a', versionNumber: 1, datasetType: 'custom', kind: 'training' },
  ...{ generationType: 'upload', format: null, fileName: null, columnMapping: {}, projectId: null, uploadKey: 'u' },
  ...{ createdAt: '', updatedAt: '', status: 'ready' },
  source: { key: 's', size, sha256: '' },
  object: { key: 'o', size, sha256: '' },
  contents: {
    ...{ rows: 1, heads: [], labels: [], entityLabels: [], classLabels: [], multiLabel: false },
    ...{ format: 'jsonl', columns: ['text'] },
  },
});

it('a merge takes chats or pairs of answers, and names the source that has the other', () => {
  const chats = { ...version(1), datasetType: 'decoder', name: 'talk' } as const;
  const of = (head: 'messages' | 'preferences', name: string): ReadyVersion => ({
    ...{ ...chats, name },
    contents: { ...chats.contents, heads: [head] },
  });
  expect(mergedContents([of('preferences', 'a'), of('preferences', 'b')]).heads).toEqual(['preferences']);
  expect(() => mergedContents([of('messages', 'talk'), of('preferences', 'pairs')])).toThrow(
    '"pairs" has pairs of answers, "talk" has chats',
  );
});

it('a merge has the tasks of all its sources, each of one kind, and no other classes', () => {
  const of = (name: string, changes: Partial<ReadyVersion['contents']>): ReadyVersion => ({
    ...{ ...version(1), name },
    contents: { ...version(1).contents, heads: ['classification'], ...changes },
  });
  const topic = (...labels: string[]) => ({ name: 'topic', labels, multiLabel: false });
  const tone = (multiLabel: boolean) => ({ name: 'tone', labels: ['glad'], multiLabel });
  const letters = of('letters', { classTasks: [tone(true), topic('a', 'c')], classLabels: ['a', 'c', 'glad'] });
  const more = of('more', { classTasks: [topic('b', 'a')], classLabels: ['a', 'b'] });
  expect(mergedContents([letters, more])).toMatchObject({
    classTasks: [tone(true), topic('a', 'b', 'c')],
    classLabels: ['a', 'b', 'c', 'glad'],
  });
  expect(() => mergedContents([letters, of('one', { classTasks: [tone(false)] })])).toThrow(
    '"one" has one label for the task "tone", and "letters" has a list of labels; upload the rows with one of the two',
  );
  expect(() => mergedContents([letters, of('plain', { classLabels: ['a'] })])).toThrow(
    '"plain" has rows with label, "letters" with labels by task',
  );
  const structures = [{ name: 'tone', fields: [] }];
  expect(() => mergedContents([letters, of('records', { heads: ['structures'], structures })])).toThrow(
    '"tone" is a task of labels and a structure',
  );
});

it('a merge has ner and classification together where their rows have the same heads', () => {
  const of = (datasetType: DatasetType, ...heads: Head[]): ReadyVersion => ({
    ...{ ...version(1), name: datasetType, datasetType },
    contents: { ...version(1).contents, heads },
  });
  const [ner, classes] = [of('ner', 'classification'), of('classification', 'classification')];
  expect(mergedContents([ner, classes]).rows).toBe(2);
  expect(mergedType([ner, classes])).toBe('classification');
  const both = [of('classification', 'entities', 'classification'), of('ner', 'entities', 'classification')];
  expect(mergedType(both)).toBe('ner');
  expect(mergedType([ner, ner])).toBe('ner');
  expect(() => mergedContents([of('ner', 'entities'), classes])).toThrow(
    '"classification" is of type classification with classification, "ner" is of type ner with entities; merge datasets of one type',
  );
  expect(() => mergedContents([of('custom', 'classification'), classes])).toThrow('is of type custom');
});

it('a merge may be no larger than an upload', () => {
  expect(mergedContents([version(8 * GiB), version(8 * GiB)]).rows).toBe(2);
  expect(() => mergedContents([version(8 * GiB), version(8 * GiB + 1)])).toThrow(/16384 MiB of rows together/);
});
