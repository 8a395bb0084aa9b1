import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mongoPing } from './mongo-ping.js';
import { serverProgram } from './program.js';
import { run } from './tools.js';

const VERSION = '1.24.0';
const MODULE = 'github.com/FerretDB/FerretDB';

/** Speaks MongoDB's protocol, on SQLite; sums in `$group` are wrong, and there are no partial and TTL indexes. */
export const ferretdb = serverProgram({
  name: `FerretDB ${VERSION}`,
  key: `ferretdb-${VERSION}`,
  tools: ['go'],
  async build(folder) {
    const source = join(folder, 'source');
    await copyModule(folder, source);
    // `go install` of it fails: it reads its version from a file that its module does not have.
    await writeFile(join(source, 'build', 'version', 'version.txt'), `v${VERSION}\n`);
    const output = join(folder, 'ferretdb');
    await run('go', ['build', '-o', output, './cmd/ferretdb'], {
      directory: source,
      environment: { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
    });
    await rm(source, { recursive: true });
  },
  command: async (installed, { directory, port }) => ({
    file: join(installed, 'ferretdb'),
    args: [
      '--handler=sqlite',
      `--sqlite-url=file:${directory}/`,
      `--listen-addr=127.0.0.1:${port}`,
      '--telemetry=disable',
      '--debug-addr=-',
      '--log-level=error',
      `--state-dir=${directory}`,
    ],
  }),
  address: (port) => `mongodb://127.0.0.1:${port}`,
  answers: mongoPing,
});

/** Go's own copies are read-only, and checked against their hash. */
async function copyModule(folder: string, to: string): Promise<void> {
  await writeFile(join(folder, 'go.mod'), `module servers\n\ngo 1.22\n\nrequire ${MODULE} v${VERSION}\n`);
  const answer = await run('go', ['mod', 'download', '-json', `${MODULE}@v${VERSION}`], { directory: folder });
  const { Dir } = JSON.parse(answer) as { readonly Dir: string };
  await mkdir(to);
  await cp(Dir, to, { recursive: true });
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  await chmod(to, 0o755);
}
