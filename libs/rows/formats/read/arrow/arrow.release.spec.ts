import {
  Binary,
  type Data,
  DateDay,
  Decimal,
  Vector,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  TimestampMicrosecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { gzipSync } from 'node:zlib';
import { UnreadableFileError } from '../../index.js';
import { processed } from '../../reading.fixture.js';
import { zipOf } from '../../zip.fixture.js';

const texts = (count: number) => Array.from({ length: count }, (_, row) => `row ${row}`);
const labels = (count: number) => Array.from({ length: count }, (_, row) => `l${row % 2}`);
const words = (values: readonly string[]) => vectorFromArray(values, new Utf8());
const table = (count: number) => new Table({ text: words(texts(count)), label: words(labels(count)) });
const stream = (of: Table) => Buffer.from(tableToIPC(of, 'stream'));
/** As other libraries write it: the library here leaves the schema out at the beginning. */
const file = (of: Table) => Buffer.concat([Buffer.from('ARROW1\0\0'), stream(of), Buffer.from('a footerARROW1')]);
const expected = (count: number) => texts(count).map((text, row) => ({ text, label: `l${row % 2}` }));
const custom = { datasetType: 'custom' } as const;
const reason = (given: string | Uint8Array, options: Parameters<typeof processed>[1] = {}) =>
  processed(given, options).then(
    (done) => done.reason ?? 'read',
    (error: unknown) => {
      if (!(error instanceof UnreadableFileError)) throw error;
      return error.message;
    },
  );

describe('Arrow files', () => {
  it.each<[string, Uint8Array]>([
    ['streams', stream(table(7))],
    ['files', file(table(7))],
    ['gzipped files', gzipSync(file(table(7)))],
    ['two streams behind one another', Buffer.concat([stream(table(7)), stream(table(0))])],
  ])('are read as %s, whatever their name and chunks', async (_, given) => {
    for (const fileName of ['rows.arrow', 'rows.jsonl', null])
      for (const chunk of [1, 13, 1 << 16]) {
        const { rows, contents } = await processed(given, { fileName }, chunk);
        expect(rows).toEqual(expected(7));
        expect(contents).toMatchObject({ format: 'arrow', rows: 7, classLabels: ['l0', 'l1'] });
      }
  });

  it('are read as shards of save_to_disk in one archive', async () => {
    const shards = {
      'set/data-00001-of-00002.arrow': stream(table(2)),
      'set/data-00000-of-00002.arrow': stream(table(4)),
    };
    const beside = { 'set/state.json': Buffer.from('{}'), 'set/dataset_info.json': Buffer.from('{}') };
    const { rows, contents } = await processed(zipOf({ ...shards, ...beside }));
    expect(rows).toEqual([...expected(4), ...expected(2)]);
    expect(contents?.container).toBe('2 shards in a zip archive');
    const other = stream(new Table({ text: words(['a']), topic: words(['b']) }));
    const mixed = zipOf({ ...shards, ...beside, 'set/data-00000-of-00002.arrow': other });
    expect(await reason(mixed)).toMatch(/^the tables have different columns/);
  });

  it('keep the order of rows over batches and blocks', async () => {
    const [batch] = table(1000).batches;
    const batches = Array.from({ length: 30 }, () => batch!);
    const { rows } = await processed(stream(new Table(batches)), { blockBytes: 10_000 });
    expect(rows).toEqual(Array.from({ length: 30 }, () => expected(1000)).flat());
  });

  it('convert every type to a JSON value', async () => {
    const people = vectorFromArray(['Ada', 'Bob', 'Ada'], new Dictionary(new Utf8(), new Int32()));
    const of = new Table({
      safe: vectorFromArray([9007199254740991n, 9007199254740993n, null], new Int64()),
      number: vectorFromArray([0.1, NaN, -Infinity], new Float64()),
      money: vectorFromArray([decimal(150n), decimal(-5n), null], new Decimal(2, 10, 128)),
      precise: vectorFromArray([decimal(12345678901234567890123456n), null, null], new Decimal(6, 38, 128)),
      at: vectorFromArray([1704164645678, 0, null], new TimestampMicrosecond()),
      day: vectorFromArray([new Date('2024-01-02'), null, null], new DateDay()),
      person: people,
      yes: vectorFromArray([true, false, true]),
      list: vectorFromArray([[1, null], [], null], new List(new Field('item', new Int32(), true))),
      nested: vectorFromArray(
        [{ a: 'x', b: null }, null, { a: 'y', b: 2 }],
        new Struct<{ a: Utf8; b: Int32 }>([new Field('a', new Utf8(), true), new Field('b', new Int32(), true)]),
      ),
    });
    const { rows } = await processed(stream(of), custom);
    expect(rows).toEqual([
      {
        ...{ safe: 9007199254740991, number: 0.1, money: 1.5, precise: '12345678901234567890.123456', person: 'Ada' },
        ...{
          at: '2024-01-02T03:04:05.678',
          day: '2024-01-02',
          yes: true,
          list: [1, null],
          nested: { a: 'x', b: null },
        },
      },
      { safe: '9007199254740993', money: -0.05, at: '1970-01-01T00:00:00', person: 'Bob', yes: false, list: [] },
      { person: 'Ada', yes: true, nested: { a: 'y', b: 2 } },
    ]);
  });

  it('take the ClassLabel names that datasets writes beside the columns', async () => {
    const features = {
      label: { names: ['bad', 'good'], _type: 'ClassLabel' },
      text: { dtype: 'string', _type: 'Value' },
    };
    const of = new Table({ text: vectorFromArray(['a', 'b']), label: vectorFromArray([1, 0], new Int32()) });
    const schema = new Schema(of.schema.fields, new Map([['huggingface', JSON.stringify({ info: { features } })]]));
    const { rows } = await processed(
      stream(
        new Table(
          schema,
          of.batches.map((batch) => new RecordBatch(schema, batch.data)),
        ),
      ),
    );
    expect(rows).toEqual([
      { text: 'a', label: 'good' },
      { text: 'b', label: 'bad' },
    ]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    [
      'binary columns',
      stream(new Table({ text: words(['a']), image: vectorFromArray([Uint8Array.of(1)], new Binary()) })),
      /the column image holds binary data; leave it out/,
    ],
    ['Feather of the first version', Buffer.from('FEA1\0\0\0\0\0\0'), /write it again with version 2/],
    ['files that are cut off', file(table(50)).subarray(0, 900), /ends too early; was the file cut off\?/],
    [
      'streams that begin with no length',
      Buffer.from('ffffffff000000ff0000', 'hex'),
      /Arrow file is damaged: a message has no length/,
    ],
    [
      'streams with other bytes behind',
      Buffer.concat([stream(table(2)), Buffer.from('{"text"')]),
      /Arrow file is damaged/,
    ],
    ['files without a schema', Buffer.from('ffffffff00000000', 'hex'), /Arrow file/],
    ['lists nested too deeply', deep(60), /nests deeper than 32 levels/],
    ['two columns of one name', twice(), /two columns "text"; rename one/],
    ['files of the library for JavaScript', Buffer.from(tableToIPC(table(1), 'file')), /write it as a stream/],
    ['rows that are no rows', file(new Table({ n: vectorFromArray([1]) })), /text/],
  ])('that are damaged or contain no rows are refused with the reason: %s', async (_, given, message) => {
    expect(await reason(given)).toMatch(message);
  });

  it('that claim more rows than values are refused before memory is allocated', async () => {
    const whole = stream(table(3));
    const told = Buffer.alloc(8);
    told.writeBigInt64LE(3n);
    for (const length of [4n, 2n ** 31n, 2n ** 45n])
      // The lengths of the batch and of its columns are the only ones of three.
      for (let at = whole.indexOf(told); at >= 0; at = whole.indexOf(told, at + 1)) {
        const bytes = Buffer.from(whole);
        bytes.writeBigInt64LE(length, at);
        expect(await reason(bytes, custom)).toMatch(/Arrow file (?:is damaged|has a record batch of more than)/);
      }
  });

  it('that repeat a text in every row stop at the row limit', async () => {
    const items = words(Array.from({ length: 5000 }, () => 'x'.repeat(20)));
    const data = makeData({
      type: new List(new Field('item', new Utf8())),
      ...{ length: 1, nullCount: 0, valueOffsets: Int32Array.of(0, 5000), child: items.data[0]! },
    });
    const of = new Table({
      text: vectorFromArray(['a']),
      list: new Vector([data]),
    });
    expect(await reason(stream(of), { ...custom, limits: { rowBytes: 50_000 } })).toMatch(
      /row is longer than 50000 bytes/,
    );
  });

  it('with any bytes changed are read, or refused with a reason', async () => {
    const whole = [stream(table(40)), file(table(40))];
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let turn = 0; turn < 300; turn += 1) {
      const bytes = Buffer.from(whole[turn % 2]!);
      for (let change = 0; change <= turn % 4; change += 1) bytes[next(bytes.length)] = next(256);
      expect(typeof (await reason(bytes, custom))).toBe('string');
    }
  });
});

/** A decimal of 128 bits. */
const decimal = (value: bigint) =>
  Uint32Array.from([0, 1, 2, 3], (word) => Number((BigInt.asUintN(128, value) >> BigInt(32 * word)) & 0xffff_ffffn));

function deep(levels: number): Uint8Array {
  let data: Data = vectorFromArray([1], new Int32()).data[0]!;
  for (let level = 0; level < levels; level += 1)
    data = makeData({
      type: new List(new Field('item', data.type, true)),
      ...{ length: 1, nullCount: 0, valueOffsets: Int32Array.of(0, 1), child: data },
    });
  return stream(new Table({ deep: new Vector([data]) }));
}

function twice(): Uint8Array {
  const [data] = vectorFromArray(['a', 'b'], new Utf8()).data;
  const fields = ['text', 'text'].map((name) => new Field(name, new Utf8(), true));
  const schema = new Schema(fields);
  const children = [data!, data!];
  return stream(
    new Table(schema, [new RecordBatch(schema, makeData({ type: new Struct(fields), length: 2, children }))]),
  );
}
