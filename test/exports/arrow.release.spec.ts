import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processed } from '#rows/formats/reading.fixture.js';
import { run } from '#test/servers/tools.js';
import { describeWith } from '../torch/environment.js';
import { pythonReaders } from './python-readers.js';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'test', 'exports', 'write.py');
const SHARED = process.env.ANNEAL_SHARED_DIR;

/** Sentences of many words, so that buffers have more bytes than a block of LZ4. */
const made = Array.from({ length: 5000 }, (_, id) => ({
  tokens: ['Ada', `met${(id * 7919) % 5003}`, 'Bob', 'in', `Lima${id}`, '😀'],
  ner_tags: ['B-PER', 'O', 'B-PER', 'O', 'B-LOC', 'O'],
  id,
}));

await describeWith('Arrow tables written by Python', pythonReaders, (python) => {
  let folder: string;
  const write = async (rows: readonly object[]) => {
    await writeFile(join(folder, 'rows.json'), JSON.stringify(rows));
    await run(python, [PROGRAM, join(folder, 'rows.json'), folder], { environment: { HF_HOME: join(folder, 'home') } });
  };
  const read = async (name: string, options = {}) => {
    const done = await processed(await readFile(join(folder, name)), { fileName: name, ...options });
    expect([name, done.reason, done.contents?.format]).toEqual([name, null, 'arrow']);
    return done;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-arrow-'));
    await write(made);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(['uncompressed.feather', 'lz4.feather', 'zstd.feather', 'stream.arrows', 'saved.zip'])(
    'are read with their tag names: %s',
    async (name) => {
      const { rows, contents } = await read(name);
      expect(rows).toHaveLength(5000);
      expect(contents).toMatchObject({ labels: ['LOC', 'PER'], reading: { layout: 'tokens' } });
      expect(rows[4711]).toMatchObject({ text: `Ada met${(4711 * 7919) % 5003} Bob in Lima4711 😀` });
      expect(rows[4711]!.entities).toMatchObject(
        [
          ['Ada', 'PER'],
          ['Bob', 'PER'],
          ['Lima4711', 'LOC'],
        ].map(([text, label]) => expect.objectContaining({ text, label })),
      );
    },
  );

  it('are read as a single shard', async () => {
    expect((await read('shard.arrow')).rows).toHaveLength(1667);
  });

  it('convert every type as Parquet files do', async () => {
    expect((await read('typed.feather', { datasetType: 'custom' })).rows).toEqual([
      {
        ...{ text: 'Ada', view: 'a view that is longer than twelve bytes', label: 'x', pairs: { a: 1 }, fixed: [1, 2] },
        ...{ at: '2024-01-02T03:04:05.678901Z', nanos: '1970-01-01T00:00:00.000000001', clock: '01:02:03' },
        ...{ wide: '1152921504606846976', half: 1.5 },
      },
      { text: 'Bob', label: 'y', nanos: '1970-01-01T00:00:01.5', clock: '00:00:00', pairs: {}, wide: -1 },
    ]);
  });

  (SHARED === undefined ? it.skip : it)('are read as WNUT-17 and SNIPS, row by row', async () => {
    for (const set of ['wnut17.test', 'snips.test']) {
      const file = join(SHARED!, 'data', `${set}.jsonl`);
      const datasetType = set.startsWith('snips') ? 'classification' : 'ner';
      const alone = await processed(await readFile(file), { datasetType });
      await run(python, ['-c', FROM_JSONL, file, join(folder, `${set}.arrow`)]);
      expect((await read(`${set}.arrow`, { datasetType })).rows).toEqual(alone.rows);
    }
  });
});

const FROM_JSONL = `
import sys, json, pyarrow
from pyarrow import ipc
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
for row in rows:
    for key, value in row.items():
        if isinstance(value, list): row[key] = json.dumps(value)
table = pyarrow.Table.from_pylist(rows)
with ipc.new_file(sys.argv[2], table.schema, options=ipc.IpcWriteOptions(compression="lz4")) as writer:
    writer.write_table(table, max_chunksize=500)
`;
