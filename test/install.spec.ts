import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { engines?: object }>;
};

describe('npm ci', () => {
  it('warns about no package on an older Node: package-lock.json names no engines (npm run lock removes them)', () => {
    const naming = Object.entries(lock.packages).filter(([path, { engines }]) => path !== '' && engines !== undefined);
    expect(naming.map(([path]) => path)).toEqual([]);
  });

  it('warns about a Node that cannot start the packaged one', () => {
    expect(lock.packages['']!.engines).toEqual({ node: '>=20.19' });
  });
});
