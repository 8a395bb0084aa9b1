import { createHash } from 'node:crypto';
import type { Finding } from './finding.js';
import { References } from './references.js';
import { compareObjects } from './stored-objects.js';

const FOLDER = 'evaluations/e1/1/';
const files: Readonly<Record<string, string>> = {
  'predictions.jsonl': '{"correct":true}\n{"correct":false}\n',
  'predictions.jsonl.index': 'i',
  'wrong.jsonl': '{"row":2,"correct":false}\n',
  'wrong.jsonl.index': 'w',
  'facts.jsonl': '{}\n{}\n',
};
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const stored = (name: string) => ({ size: files[name]!.length, sha256: hashOf(files[name]!) });

describe('the files of an evaluation', () => {
  const found = async (present: Readonly<Record<string, string>>) => {
    const references = new References();
    const [first, ...others] = Object.keys(files);
    // The content of encrypted files has another hash than what is stored.
    const encrypted = { size: 1, sha256: hashOf('content') };
    const beside = others.map((name) => ({ key: FOLDER + name, ...encrypted, stored: stored(name) }));
    const predictions = { objectKey: FOLDER + first!, ...encrypted, stored: stored(first!), beside };
    references.add({
      ...{ position: '7', stream: 'evaluation-e1', revision: 3, type: 'evaluation-completed.v1', id: 'i' },
      ...{ data: JSON.stringify({ predictions }), metadata: '{}' },
    });
    const findings: Finding[] = [];
    const objects = {
      get: async (key: string) => [Buffer.from(present[key.slice(FOLDER.length)] ?? '')],
      async *list(prefix: string) {
        for (const name of Object.keys(present)) yield { key: prefix + name, size: 0, version: '1' };
      },
    };
    await compareObjects({ objects: objects as never, references, onFinding: (finding) => findings.push(finding) });
    return findings.map(({ what }) => what);
  };

  it('are all compared, also encrypted ones, and none may be added', async () => {
    expect(await found(files)).toEqual([]);
    for (const name of Object.keys(files))
      expect(await found({ ...files, [name]: 'changed' })).toEqual([
        `${FOLDER}${name} is not the one that was stored: its hash is another`,
      ]);
    expect(await found({ ...files, 'more.jsonl': '' })).toEqual([`${FOLDER}more.jsonl is named by no event`]);
  });
});
