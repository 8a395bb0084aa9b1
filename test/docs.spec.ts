import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (name) => name.startsWith('.') || ['node_modules', 'dist'].includes(name),
}).toSorted();
const FOLDERS = readdirSync(ROOT, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
);
const TREE = new RegExp(`^(dist/)?(${FOLDERS.map(({ name }) => name).join('|')})/[\\w./-]+$`);

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The anchors that GitHub gives a page's headings. */
const anchorsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(PAGES)('%s', (page) => {
  it('links to files and headings that exist', () => {
    const broken = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
      ([, path, anchor]) => {
        const target = path === '' ? page : join(dirname(page), path!);
        return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      },
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const named = [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!).filter((text) => TREE.test(text));
    const exists = (path: string) => existsSync(join(ROOT, path)) || existsSync(join(ROOT, 'dist', path));
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });

  it('aligns no table: one blank beside each bar, three dashes below each heading', () => {
    const tables = read(page).replaceAll(/^( *)(`{3,}|~{3,}).*\n[^]*?^\1\2$/gm, '');
    const aligned = tables.split('\n').filter((line) => /^\|.*(\S {2,}\||\| {2,}\S|----)/.test(line));
    expect(aligned).toEqual([]);
  });
});

describe('the pages of docs/', () => {
  const pages = PAGES.filter((page) => page.startsWith('docs/'));
  const sizeOf = (page: string): number => Buffer.byteLength(read(page));

  it('have at most 100 KB each', () => {
    expect(pages.filter((page) => sizeOf(page) > 100_000)).toEqual([]);
  });

  it('have at most 405 KB together', () => {
    expect(pages.reduce((sum, page) => sum + sizeOf(page), 0)).toBeLessThan(405_000);
  });

  it('are each linked from README.md', () => {
    expect(pages.filter((page) => !read('README.md').includes(`](${page})`))).toEqual([]);
  });
});
