import type { ReadyVersion } from '#domain/dataset/index.js';
import { mergedContents } from './merged-contents.js';

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

it('a merge may be no larger than an upload', () => {
  expect(mergedContents([version(8 * GiB), version(8 * GiB)]).rows).toBe(2);
  expect(() => mergedContents([version(8 * GiB), version(8 * GiB + 1)])).toThrow(/16384 MiB of rows together/);
});
