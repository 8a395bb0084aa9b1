import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SCRIPT = join(ROOT, 'scripts', 'release.mjs');

describe('npm run release', () => {
  let folder: string;
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const commit = (...message: readonly string[]) => {
    git('add', '-A');
    git('commit', '--allow-empty', '-q', ...message.flatMap((part) => ['-m', part]));
  };
  const release = (...args: readonly string[]) =>
    execFileSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'anneal-release-'));
    git('init', '-q');
    write('package.json', '{ "name": "anneal", "version": "1.2.0" }\n');
    write('docker-compose.yml', 'image: anneal:1.2.0\n');
    write('CHANGELOG.md', '# Changelog\n\n## 1.2.0\n\n- Older.\n');
    commit('Release 1.2.0');
    git('tag', 'v1.2.0');
    commit('Keys may be renamed');
    commit('Tidied', 'Changelog: none');
    commit('GET /keys has no field `age`', 'Changelog: breaking');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes a section from the commits since the last tag, and the version wherever it is named', () => {
    expect(release('minor')).toContain('git tag v1.3.0');
    const today = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md').replace(/\(\d{4}-\d\d-\d\d\)/, `(${today})`)).toBe(
      `# Changelog\n\n## 1.3.0 (${today})\n\n### Breaking changes\n\n- GET /keys has no field \`age\`\n\n` +
        '### Changes\n\n- Keys may be renamed\n\n## 1.2.0\n\n- Older.\n',
    );
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.3.0' });
    expect(read('docker-compose.yml')).toBe('image: anneal:1.3.0\n');
  });

  it('refuses a folder with changes that are not committed', () => {
    write('docker-compose.yml', 'image: other\n');
    expect(() => release('minor')).toThrow(/commit or remove/);
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.2.0' });
  });
});

describe('the version of this release', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

  it('is in the changelog, and the same wherever the image is named', () => {
    expect(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}`);
    const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
    expect(new Set([...compose.matchAll(/anneal:(\d[\w.-]*)/g)].map(([, each]) => each))).toEqual(new Set([version]));
  });
});
