import type { Application } from '#application/application.js';
import type { Catalog } from '#model-catalog/catalog.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { RecordReader } from './record-reader.js';

const MIB = 1024 * 1024;

describe('records with large contents', () => {
  const fetched: string[] = [];
  const objectStore = {
    async get(key: string) {
      fetched.push(key);
      return [Buffer.from('{"input":{"text":"x"},"output":null,"errorMessage":null}')];
    },
  };
  const catalog = { resolve: () => ({ label: 'Base' }) } as unknown as Catalog;
  const reader = new RecordReader({ ports: { objectStore } } as unknown as Application, catalog);
  const record = (objectKey: string, size: number) =>
    ({
      id: objectKey,
      modelId: 'base',
      content: { objectKey, size, sha256: '' },
      feedback: null,
    }) as unknown as InferenceDocument;

  beforeEach(() => void fetched.splice(0));

  test('more than can be answered at once is refused before any is fetched, and how many can be is said', async () => {
    const page = [record('a', 30 * MIB), record('b', 30 * MIB), record('c', 30 * MIB)];
    await expect(reader.read(page)).rejects.toThrow(/query.limit: .*ask for 2 at once/);
    expect(fetched).toEqual([]);
    expect(await reader.read(page.slice(0, 2))).toMatchObject([{ input: { text: 'x' } }, { input: { text: 'x' } }]);
  });

  test('a single record is answered, however large', async () => {
    expect(await reader.read([record('a', 100 * MIB)])).toHaveLength(1);
  });
});
