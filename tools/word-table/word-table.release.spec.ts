import { afterAll, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { SOURCE, writeWordTable } from './word-table.js';

const committed = fileURLToPath(new URL('../../../gpu-runner/engines/builtin/base-model/words', import.meta.url));

await describeWithPack(SOURCE.name, (modelsDir) => {
  const folder = mkdtempSync(join(tmpdir(), 'word-table-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('the word-table tool makes the committed table again, byte for byte', async () => {
    await writeWordTable(join(modelsDir, SOURCE.name), folder, () => undefined);
    expect(readdirSync(folder).sort()).toEqual(readdirSync(committed).sort());
    for (const name of readdirSync(folder))
      expect([name, readFileSync(join(folder, name)).equals(readFileSync(join(committed, name)))]).toEqual([
        name,
        true,
      ]);
  });
});
