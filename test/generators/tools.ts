import { createHash } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { need, run } from '#test/servers/tools.js';

// Only TypeScript is built into dist/.
export const SOURCES = join(import.meta.dirname, '..', '..', '..', 'test', 'generators');

/** A folder with the generators for TypeScript and what their clients need. @throws InstallError when npm cannot fetch them */
export const npmGenerators = (): Promise<string> =>
  installed('npm', ['package.json', 'package-lock.json'], ['npm'], async (folder) => {
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { directory: folder });
  });

/** A virtual environment with the generators for Python. @throws InstallError when pip cannot fetch them */
export const pythonGenerators = (): Promise<string> =>
  installed('python', ['requirements.lock'], ['python3'], async (folder) => {
    const packages = join(folder, 'packages');
    const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
    await run('python3', [...pip, '--target', packages, '-r', join(folder, 'requirements.lock')]);
  });

/** A folder of archives: the generator for Go and Java, and what its client in Java needs. @throws InstallError */
export const javaGenerator = async (): Promise<string> => {
  const folder = await installed('java', ['pom.xml'], ['java', 'javac', 'mvn'], async (to) => {
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
    await run('mvn', ['--batch-mode', '--quiet', copy, '-DoutputDirectory=jars'], { directory: to });
  });
  return join(folder, 'jars');
};

/** As `javaGenerator`, where Go is installed. @throws InstallError */
export const goGenerator = async (): Promise<string> => {
  await orInstallError('go', () => need(['go']));
  return javaGenerator();
};

async function installed(
  name: string,
  files: readonly string[],
  tools: readonly string[],
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(join(SOURCES, name, file)));
  const key = `generators-${name}-${hash.digest('hex').slice(0, 12)}`;
  return cached(serversCache(), key, (folder) =>
    orInstallError(name, async () => {
      await need(tools);
      for (const file of files) await cp(join(SOURCES, name, file), join(folder, file));
      await build(folder);
    }),
  );
}

const orInstallError = <T>(name: string, make: () => Promise<T>): Promise<T> =>
  make().catch((cause: unknown) => {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new InstallError(`the generators of ${name} cannot be had: ${line}`, { cause });
  });
