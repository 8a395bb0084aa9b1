import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExplosive, requireSafePatterns } from './tokenizer-patterns.js';

/** Of well-known tokenizers: GPT-2, Llama 3, GPT-4o, DeepSeek V3, CLIP, BLOOM, DeBERTa, mT5. */
const KNOWN = [
  String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`,
  String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
  String.raw` {2,}|[\n\r\t]`,
  String.raw`\s+`,
];
const EXPLOSIVE = [
  String.raw`(a+)+$`,
  String.raw`(a|aa)+$`,
  String.raw`(?:\p{L}+\s?)+!`,
  String.raw`(.*a){20}$`,
  String.raw`(?=(?:x*)*y)`,
  String.raw`((?:a?){30})b`,
  String.raw`\s*\s*x`,
  String.raw`(?:\w+|\d+)\w+!`,
  String.raw`a{0,5000}a{0,5000}b`,
];

describe('a regular expression of an imported tokenizer', () => {
  it.each(KNOWN)('is taken as well-known models have it: %s', (pattern) => {
    expect(isExplosive(pattern)).toBe(false);
  });

  it.each(EXPLOSIVE)('is refused if some text takes far longer than its length: %s', (pattern) => {
    expect(isExplosive(pattern)).toBe(true);
  });

  it('is found wherever the tokenizer has it, and named with its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'anneal-tokenizer-'));
    const write = (tokenizer: object) => writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
    const split = (Regex: string) => ({ type: 'Split', pattern: { Regex } });
    await write({ pre_tokenizer: { type: 'Sequence', pretokenizers: [split('\\s+'), split('(a+)+$')] } });
    expect(() => requireSafePatterns(folder, ['tokenizer.json'])).toThrow(/tokenizer\.json: .*"\(a\+\)\+\$"/);
    await write({
      normalizer: { type: 'Replace', pattern: { Regex: '(x|x)*y' } },
      model: { vocab: { Regex: '(a+)+' } },
    });
    expect(() => requireSafePatterns(folder, ['tokenizer.json'])).toThrow(/"\(x\|x\)\*y"/);
    await write({ normalizer: null, pre_tokenizer: split(' {2,}') });
    requireSafePatterns(folder, ['tokenizer.json']);
    requireSafePatterns(folder, []);
    await rm(folder, { recursive: true });
  });
});
