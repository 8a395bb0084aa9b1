import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import { Cl100k, CL100K_TOKENS } from '#calls/token-ids/cl100k.js';
import { cl100kTable } from './table.js';

describe('the table of token ids', () => {
  it('is what `npm run build:token-ids` writes', () => {
    const kept = readFileSync(new URL('../../libs/calls/token-ids/cl100k_base.bin', import.meta.url));
    expect(brotliDecompressSync(kept).equals(cl100kTable())).toBe(true);
  });

  it('decodes every token as tiktoken does', async () => {
    const [ours, theirs] = [await Cl100k.load(), new Tiktoken(cl100k)];
    const all = Array.from({ length: CL100K_TOKENS }, (_, id) => id);
    // Theirs leaves a byte order mark out.
    const textOf = (id: number) => ours.decode([id]).replace(/^\uFEFF/, '');
    expect(all.filter((id) => textOf(id) !== theirs.decode([id]))).toEqual([]);
    expect(ours.decode(theirs.encode('Grüße, 😙 мир'))).toBe('Grüße, 😙 мир');
  });
});
