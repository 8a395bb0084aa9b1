import { gzipSync, zstdCompressSync } from 'node:zlib';
import { UnreadableFileError } from './index.js';
import { processed } from './reading.fixture.js';
import { zipOf } from './zip.fixture.js';

const rows = [
  { text: 'Zoë, "fast" 🛫; and\tgood', label: 'praise' },
  { text: 'slow', label: 'complaint' },
];
const jsonl = rows.map((row) => JSON.stringify(row)).join('\n');
const csv = 'text;label\r\n"Zoë, ""fast"" 🛫; and\tgood";praise\r\nslow;complaint\r\n';
const plain = [
  { text: 'a "b" c', label: 'x' },
  { text: 'd', label: 'y' },
];
const swapped = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

/** The archive of one file with its sizes and places in the fields of ZIP64. */
function largeZip(zip: Buffer, directoryAt = BigInt(zip.lastIndexOf('PK\x01\x02')), fileAt = 0n): Buffer {
  const start = zip.lastIndexOf('PK\x01\x02');
  const entry = Buffer.from(zip.subarray(start, -22));
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  extra.writeBigUInt64LE(BigInt(entry.readUInt32LE(24)), 4);
  extra.writeBigUInt64LE(BigInt(entry.readUInt32LE(20)), 12);
  extra.writeBigUInt64LE(fileAt, 20);
  entry.writeUInt16LE(extra.length, 30);
  for (const place of [20, 24, 42]) entry.writeUInt32LE(0xffff_ffff, place);
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(1n, 24);
  record.writeBigUInt64LE(1n, 32);
  record.writeBigUInt64LE(BigInt(entry.length + extra.length), 40);
  record.writeBigUInt64LE(directoryAt, 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(start + entry.length + extra.length), 8);
  const end = Buffer.from(zip.subarray(-22));
  end.writeUInt32LE(0xffff_ffff, 16);
  return Buffer.concat([zip.subarray(0, start), entry, extra, record, locator, end]);
}

const files: Record<string, readonly [string | Buffer, readonly object[], string | undefined]> = {
  'CSV separated by semicolons': [csv, rows, 'CSV separated by semicolons'],
  'UTF-16': [Buffer.from(`\ufeff${jsonl}`, 'utf16le'), rows, 'in UTF-16'],
  'big-endian UTF-16 with semicolons': [swapped(csv), rows, 'CSV separated by semicolons, in UTF-16'],
  Zstandard: [zstdCompressSync(jsonl), rows, 'packed with Zstandard'],
  'a zip archive': [
    zipOf({ 'a/': '', '__MACOSX/._rows.csv': 'x', 'a/rows.csv': csv }),
    rows,
    'CSV separated by semicolons, "a/rows.csv" in a zip archive',
  ],
  'a zip archive with 64-bit sizes': [
    largeZip(zipOf({ '/etc/rows.jsonl': jsonl })),
    rows,
    '"/etc/rows.jsonl" in a zip archive',
  ],
  tabs: ['text\tlabel\na "b" c\tx\nd\ty\n', plain, 'lines of cells separated by tabs'],
  'tabs with quotes around cells': [
    'text\tlabel\n"a ""b"" c"\tx\n"d"\t"y"\n',
    plain,
    'lines of cells separated by tabs',
  ],
  'a list under a key': [
    JSON.stringify({ 'vërsion "2"': 2, data: rows, meta: {} }, null, 1),
    rows,
    String.raw`only the list "data" of a JSON object; "vërsion \"2\"", "meta" left out`,
  ],
  'a list before other keys': [
    JSON.stringify({ rows, total: { all: ['}', 2] } }),
    rows,
    'only the list "rows" of a JSON object; "total" left out',
  ],
  'a list alone under its key': [JSON.stringify({ rows }), rows, 'only the list "rows" of a JSON object'],
  'a list beside many keys, in UTF-16': [
    Buffer.from(
      `\ufeff{"records":${JSON.stringify(rows)},${[...'abcdefghijkl'].map((key) => `"${key}":0`).join()}}`,
      'utf16le',
    ),
    rows,
    'only the list "records" of a JSON object, in UTF-16; "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" and 2 more left out',
  ],
  'rows of the hub’s server': [
    JSON.stringify({
      features: [
        { name: 'text', type: { dtype: 'string', _type: 'Value' } },
        { name: 'label', type: { names: ['complaint', 'praise'], _type: 'ClassLabel' } },
      ],
      rows: rows.map((row, at) => ({ row_idx: at, row: { ...row, label: 1 - at }, truncated_cells: [] })),
      num_rows_total: 2,
    }),
    rows,
    'only the list "rows" of a JSON object; "num_rows_total" left out',
  ],
  'heads in any case': ['Text,LABEL \r\n"Zoë, ""fast"" 🛫; and\tgood",praise\r\nslow,complaint\r\n', rows, undefined],
  'keys in any case': [jsonl.replaceAll('"text"', '"Text"').replaceAll('"label"', '"Label"'), rows, undefined],
};

describe('dataset files from other sources', () => {
  it.each(Object.keys(files))('are read: %s, however the bytes arrive', async (name) => {
    const [file, expected, container] = files[name]!;
    for (const size of [1, 3, 1 << 16]) {
      const { rows: read, reason, contents } = await processed(file, {}, size);
      expect(reason).toBeNull();
      expect(read).toEqual(expected);
      expect(contents?.container).toBe(container);
    }
  });

  it('are read in many blocks and threads', async () => {
    const many = Array.from({ length: 2000 }, (_, at) => ({ text: `row ${at}; "x"`, label: `l${at % 3}` }));
    const lines = many.map(({ text, label }) => `${text}\t${label}`);
    const options = { threads: 2, blockBytes: 1000 };
    for (const file of [
      `text\tlabel\n${lines.join('\n')}`,
      zipOf({ 'rows.json': JSON.stringify({ items: many }) }),
      zstdCompressSync(JSON.stringify(many)),
    ])
      expect((await processed(file, options)).rows).toEqual(many);
  });

  it('are read as lines of JSON if `format` says so, whatever their keys', async () => {
    const lines = '{"data":[{"a":1}],"n":1}\n{"data":[{"a":2}],"n":2}';
    const free = { datasetType: 'custom', format: 'jsonl' } as const;
    expect((await processed(lines, free)).rows).toEqual(lines.split('\n').map((line) => JSON.parse(line) as object));
    await expect(processed(lines, { datasetType: 'custom' })).rejects.toThrow(
      'behind the list of rows there must be the end of its object; if every line is a row, upload it as format jsonl',
    );
    const chat = { text: 'a', label: 'b', data: [{ c: 1 }] };
    expect((await processed(JSON.stringify(chat))).rows).toEqual([chat]);
  });

  it('keep their own column beside one with the same name in another case', async () => {
    const { rows: read } = await processed('{"Text":"no","text":"yes","LABEL":"a","Label":"b"}');
    expect(read).toEqual([{ Text: 'no', text: 'yes', label: 'a', Label: 'b' }]);
    const mapped = await processed('{"Text":"no","body":"yes","label":"a"}', { columnMapping: { text: 'body' } });
    expect(mapped.rows).toEqual([{ Text: 'no', text: 'yes', label: 'a' }]);
  });

  it('name the cells that a rows server truncated', async () => {
    const served = { rows: [{ row_idx: 0, row: { text: 'a' }, truncated_cells: ['text'] }] };
    const { errors } = await processed(JSON.stringify(served));
    expect(errors).toMatchObject([{ row: 1, field: 'text', reason: expect.stringContaining('was cut off') }]);
  });

  const limits = { unpackedBytes: 100_000, ratio: 50, ratioFromBytes: 10_000 };
  const whole = zipOf({ 'rows.jsonl': jsonl });
  const changed = (at: number, byte: number) => {
    const file = Buffer.from(whole);
    file[at] = byte;
    return file;
  };
  const directory = whole.lastIndexOf('PK\x01\x02');
  it.each<[string, Buffer, RegExp]>([
    ['a zip archive with several files', zipOf({ 'a.csv': csv, 'b.csv': csv }), /holds 2 files \("a.csv", "b.csv"\)/],
    ['a zip archive with none', zipOf({}), /holds no file/],
    ['a zip archive with folders only', zipOf({ 'a/': '' }), /holds no file/],
    ['a workbook', zipOf({ '[Content_Types].xml': 'x', 'xl/workbook.xml': 'x' }), /Office document/],
    ['a zip archive that is cut off', whole.subarray(0, -30), /zip archive is damaged: .* file is truncated/],
    [
      'a zip archive with a wrong directory',
      changed(directory, 0),
      /zip archive is damaged: invalid central directory/,
    ],
    ['a zip archive with a wrong checksum', changed(directory + 16, 0), /not the one that was packed/],
    [
      'a zip archive that points out of itself',
      changed(directory + 45, 0xff),
      /zip archive is damaged: it ends too early/,
    ],
    ['a large zip archive that points out of itself', largeZip(whole, 1n << 60n), /damaged: it points out of itself/],
    [
      'a large zip archive with a file that is out of it',
      largeZip(whole, undefined, 1n << 60n),
      /damaged: it points out of itself/,
    ],
    ['an encrypted zip archive', changed(directory + 8, 1), /encrypted/],
    ['a zip archive packed in another way', changed(directory + 10, 99), /packed by method 99/],
    ['a bomb of zip', zipOf({ a: `${jsonl}\n`.repeat(5000) }), /unpacks to more than 50 times its size/],
    ['a bomb of Zstandard', zstdCompressSync(`${jsonl}\n`.repeat(5000)), /unpacks to more than 50 times its size/],
    [
      'Zstandard that is cut off',
      zstdCompressSync(jsonl).subarray(0, -4),
      /Zstandard data (?:ends too early|is damaged)/,
    ],
    ['a zip archive in gzip', gzipSync(whole), /packed twice/],
    ['an Arrow stream in gzip that is cut off', gzipSync(Buffer.from('ffffffff78000000', 'hex')), /ends too early/],
    ['bzip2', Buffer.from('BZh91AY&SY'), /bzip2; pack it with gzip/],
    ['UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x00, 0xd8, 0x7d, 0x00]), /not valid UTF-16/],
    ['UTF-16 that is cut off', Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d]), /not valid UTF-16/],
  ])('are refused with a reason: %s', async (_, file, reason) => {
    for (const size of [1 << 16, 1]) {
      const attempt = processed(file, { limits }, size);
      await expect(attempt).rejects.toThrow(UnreadableFileError);
      await expect(attempt).rejects.toThrow(reason);
      await expect(attempt).rejects.not.toThrow(/reading-/);
    }
  });
});
