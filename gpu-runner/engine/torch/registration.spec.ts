import { readFile } from 'node:fs/promises';
import { EXPORT_FORMATS } from '#domain/model-export/index.js';
import { exportsOf } from './registration.js';

describe('exports of models on a base of the torch engine', () => {
  it('are GGUF files for the architectures that Python writes as such, and for no other', async () => {
    const source = await readFile('gpu-runner/python/anneal_runner/exporting/gguf.py', 'utf8');
    const names = [.../^ARCHITECTURES = \{(.*)\}$/m.exec(source)![1]!.matchAll(/"(\w+)":/g)].map(([, name]) => name!);
    expect(names).toContain('llama');
    for (const name of names) expect(exportsOf(name)).toEqual(EXPORT_FORMATS);
    expect(exportsOf('gemma3_text')).toEqual(['adapter', 'merged']);
  });
});
