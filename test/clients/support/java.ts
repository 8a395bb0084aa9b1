import { hash } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { need, run } from '#test/servers/tools.js';

// Only TypeScript is built into dist/.
const SOURCES = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'clients', 'java');
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';

/** The folder with the archives of `pom.xml`, made once on each machine. @throws InstallError when there is no JDK, Maven or registry */
export async function javaClients(): Promise<string> {
  const pom = await readFile(join(SOURCES, 'pom.xml'), 'utf8');
  const folder = await cached(serversCache(), `java-clients-${hash('sha256', pom).slice(0, 12)}`, async (to) => {
    try {
      await need(['java', 'javac', 'mvn']);
      await cp(join(SOURCES, 'pom.xml'), join(to, 'pom.xml'));
      await run('mvn', ['--batch-mode', '--quiet', COPY, '-DoutputDirectory=jars'], { directory: to });
    } catch (cause) {
      throw new InstallError('the clients for Java cannot be installed here', { cause });
    }
  });
  return join(folder, 'jars');
}

/** The lines that `Calls.java` prints. */
export async function calledByJava(jars: string, { url, key }: { readonly url: string; readonly key: string }) {
  const out = await run('java', ['-cp', join(jars, '*'), join(SOURCES, 'Calls.java'), url, key]);
  return out.trimEnd().split('\n');
}
