import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpoint, verifierOf } from './checkpoint.js';
import { publicKeyOf, signedNote } from './signing.js';

/** Debian: `apt install softhsm2 opensc`. */
const MODULE = '/usr/lib/softhsm/libsofthsm2.so';
const isInstalled = existsSync(MODULE) && existsSync('/usr/bin/pkcs11-tool');

(isInstalled ? describe : describe.skip)('a key on a PKCS#11 token', () => {
  let folder: string;
  const before = { ...process.env };
  const tool = (...args: readonly string[]) =>
    execFileSync('pkcs11-tool', ['--module', MODULE, '--pin', 'env:PIN', ...args], { stdio: 'pipe' });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-token-'));
    await mkdir(join(folder, 'tokens'));
    await writeFile(join(folder, 'softhsm2.conf'), `directories.tokendir = ${join(folder, 'tokens')}\n`);
    Object.assign(process.env, { SOFTHSM2_CONF: join(folder, 'softhsm2.conf'), PIN: '4711' });
    const token = ['--init-token', '--free', '--label', 'anneal', '--pin', '4711', '--so-pin', '4711'];
    execFileSync('softhsm2-util', token, { stdio: 'pipe' });
    tool('--login', '--keypairgen', '--key-type', 'EC:edwards25519', '--id', '01');
    tool('--read-object', '--type', 'pubkey', '--id', '01', '-o', join(folder, 'audit.pub'));
  });
  afterAll(async () => {
    for (const name of ['SOFTHSM2_CONF', 'PIN'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    await rm(folder, { recursive: true });
  });

  it('signs checkpoints by the documented command', async () => {
    const page = readFileSync(new URL('../../../docs/operate/audit.md', import.meta.url), 'utf8');
    const command = /SIGNING_COMMAND='(pkcs11-tool [^']+)'/.exec(page)![1]!;
    const checkpoint = { origin: 'anneal/test', size: 7, root: Buffer.alloc(32, 3) };
    const publicKey = publicKeyOf(readFileSync(join(folder, 'audit.pub'), 'utf8'));
    const signer = { ...verifierOf('anneal/test', publicKey), command };
    expect(openCheckpoint(await signedNote(checkpoint, signer), [signer])).toEqual(checkpoint);
  });
});
