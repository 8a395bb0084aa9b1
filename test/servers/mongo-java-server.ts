import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { mongoPing } from './mongo-ping.js';
import { serverProgram } from './program.js';
import { run } from './tools.js';

const VERSION = '1.47.0';
// Java's sources are not built into dist/.
const SOURCES = join(import.meta.dirname, '..', '..', '..', 'test', 'servers', 'mongo-java-server');

/** Speaks MongoDB's protocol, on a file of the H2 database; without transactions, sessions and change streams. */
export const mongoJavaServer = serverProgram({
  name: `mongo-java-server ${VERSION}`,
  key: `mongo-java-server-${VERSION}-${hashOf('pom.xml', 'Main.java')}`,
  tools: ['java', 'javac', 'mvn'],
  async build(folder) {
    const jars = join(folder, 'jars');
    await cp(SOURCES, folder, { recursive: true });
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
    await run('mvn', ['--batch-mode', '--quiet', copy, `-DoutputDirectory=${jars}`], { directory: folder });
    await run('javac', ['-cp', join(jars, '*'), '-d', folder, 'Main.java'], { directory: folder });
  },
  command: async (installed, { directory, port }) => ({
    file: 'java',
    args: [
      '-XX:+UseSerialGC',
      '-Xmx768m',
      ...['-cp', `${join(installed, 'jars', '*')}:${installed}`],
      ...['Main', String(port), join(directory, 'documents.mv.db')],
    ],
  }),
  address: (port) => `mongodb://127.0.0.1:${port}`,
  answers: mongoPing,
});

function hashOf(...files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(SOURCES, file)));
  return hash.digest('hex').slice(0, 8);
}
