import { readFile } from 'node:fs/promises';
import { exportsOf } from './registration.js';

describe('exports of models on a base of the torch engine', () => {
  it('are GGUF files only for the architectures that Python can write', async () => {
    const source = await readFile('gpu-runner/engines/torch/python/anneal_runner/exporting/gguf.py', 'utf8');
    const names = [.../^ARCHITECTURES = \{(.*)\}$/m.exec(source)![1]!.matchAll(/"(\w+)":/g)].map(([, name]) => name!);
    expect(names).toContain('llama');
    for (const name of names) expect(exportsOf(name)).toEqual(['adapter', 'merged', 'gguf', 'gguf-q8_0']);
    expect(exportsOf('gemma3_text')).toEqual(['adapter', 'merged']);
  });
});
