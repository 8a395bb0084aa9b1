import { boundaryOf, partsOf, textOf } from './multipart.js';

const CRLF = '\r\n';
const form = [
  '--b0',
  'Content-Disposition: form-data; name="file"; filename="a \\"b\\".jsonl"',
  'Content-Type: application/octet-stream',
  '',
  `{"a": 1}\r\n--b`,
  '--b0',
  'content-disposition: form-data; name=purpose',
  '',
  'fine-tune',
  '--b0--',
  'epilogue',
].join(CRLF);

async function* cut(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

const read = async (text: string, size = 7) => {
  const parts: unknown[] = [];
  for await (const part of partsOf(cut(text, size), 'b0'))
    parts.push([part.name, part.fileName, await textOf(part, 1000)]);
  return parts;
};

describe('a multipart form', () => {
  it.each([1, 2, 3, 7, 64, 1000])('is read the same in pieces of %i bytes', async (size) => {
    expect(await read(form, size)).toEqual([
      ['file', 'a "b".jsonl', '{"a": 1}\r\n--b'],
      ['purpose', null, 'fine-tune'],
    ]);
  });

  it('is read past a part whose content nobody reads', async () => {
    const names: string[] = [];
    for await (const { name } of partsOf(cut(form, 5), 'b0')) names.push(name);
    expect(names).toEqual(['file', 'purpose']);
  });

  it.each([
    ['ends too early', form.slice(0, -20)],
    ['ends too early', ''],
    ['a part has no name', form.replace('name="file"; ', '')],
    ['a boundary is not followed by a line break', form.replace('--b0\r\n', '--b0x\r\n')],
    ['the headers of a part are longer than 8192 bytes', form.replace('octet', 'x'.repeat(9000))],
  ])('is refused as it %s', async (problem, text) => {
    await expect(read(text)).rejects.toThrow(problem);
  });

  it('is refused for a field longer than its limit', async () => {
    const reading = async () => {
      for await (const part of partsOf(cut(form, 9), 'b0')) await textOf(part, 5);
    };
    await expect(reading()).rejects.toThrow('longer than 5 bytes');
  });

  it.each([
    ['multipart/form-data; boundary=b0', 'b0'],
    ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
  ])('has its boundary in %s', (type, boundary) => {
    expect(boundaryOf(type)).toBe(boundary);
  });

  it.each([undefined, 'application/json', 'multipart/form-data', 'multipart/form-data; boundary='])(
    'has no boundary in %s',
    (type) => {
      expect(() => boundaryOf(type)).toThrow('multipart/form-data');
    },
  );
});
