import { PassThrough } from 'node:stream';
import { jest } from '@jest/globals';
import type { Json } from '#domain/json.js';
import { amountCell, cell, follow, ProgressBar, show, type View } from './output.js';

const view: View = { columns: ['name'], row: (frame) => [cell(frame['name'])], empty: '' };
const NAME = 'red \u001b[31m \u009b2J \u202e \r\n \u0007 name';

describe("the command's output", () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    jest.spyOn(console, 'log').mockImplementation((text: string) => void (printed += `${text}\n`));
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  });
  afterEach(() => jest.restoreAllMocks());

  async function* frames(): AsyncIterable<Json> {
    yield await Promise.resolve({ name: NAME });
  }

  it.each([
    ['a table', () => show(frames(), view, false)],
    ['lines as they come', () => follow(frames(), view, false)],
    ['JSON', () => show(frames(), view, true)],
    ['lines of JSON as they come', () => follow(frames(), view, true)],
  ])('contains no control character of stored text: %s', async (_, print) => {
    await print();
    expect(printed).toMatch(/red \\u001b\[31m/);
    expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each([
    ['0.0000009', '$0.0000009'],
    ['-1.50', '-$1.50'],
    [null, '-'],
  ])('shows an amount of dollars in full: %j as %s', (dollars, shown) => {
    expect(amountCell(dollars)).toBe(shown);
  });

  it.each([
    [0, '25% 1/4 packages\n75% 3/4 packages\n'],
    [60_000, ''],
  ])('has a line of progress each %d ms where there is no terminal', (everyMs, lines) => {
    const stream = Object.assign(new PassThrough(), { isTTY: false });
    const bar = new ProgressBar(stream as unknown as NodeJS.WriteStream, everyMs);
    bar.update({ done: 1, total: 4, unit: 'packages' });
    bar.update({ done: 3, total: 4, unit: 'packages' });
    bar.stop();
    expect(String(stream.read() ?? '')).toBe(lines);
  });

  it('is the same JSON as the answer', async () => {
    await show(frames(), view, true);
    expect(JSON.parse(printed)).toEqual({ name: NAME });
  });
});
