import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpoint, verifierOf } from './checkpoint.js';
import { AuditedLog, signer } from './log.fixture.js';
import { publicKeyOf, signedNote } from './signing.js';

const CHECKPOINT = { origin: 'anneal/test', size: 7, root: Buffer.alloc(32, 3) };

describe('a key that is elsewhere', () => {
  let folder: string;
  let publicKey: string;
  let command: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-signing-'));
    const pair = generateKeyPairSync('ed25519');
    publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    await writeFile(join(folder, 'key.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    // As the documentation has it: OpenSSL wants a file of which it knows the size.
    command = `f=$(mktemp) && cat > $f && openssl pkeyutl -sign -rawin -inkey ${folder}/key.pem -in $f; s=$?; rm -f $f; exit $s`;
  });
  afterAll(() => rm(folder, { recursive: true }));

  const by = (other: string) => ({ ...verifierOf('anneal/test', publicKeyOf(publicKey)), command: other });

  it('signs by a command what its public key opens', async () => {
    const note = await signedNote(CHECKPOINT, by(command));
    expect(openCheckpoint(note, [by(command)])).toEqual(CHECKPOINT);
    expect(() => openCheckpoint(note, [signer])).toThrow('no signature');
  });

  it('signs checkpoints of a log, which the key of the secret does not continue without a word', async () => {
    const log = await AuditedLog.open();
    try {
      await log.appendMany('things-1', 3);
      await log.extend(by(command));
      expect((await log.verify([], [], [by(command)])).findings).toEqual([]);
      expect((await log.verify()).findings).toMatchObject([
        { problem: 'tree', what: expect.stringMatching(/no signature/) },
      ]);
    } finally {
      await log.close();
    }
  });

  it.each([
    ['fails', 'echo "the token is away" >&2; exit 3', /ended with 3: the token is away/],
    ['says something else', 'echo no', /gave 3 bytes/],
    [
      'signs with another key',
      `openssl genpkey -algorithm ed25519 -out $D/other.pem && cat > $D/text && openssl pkeyutl -sign -rawin -inkey $D/other.pem -in $D/text`,
      /another key/,
    ],
    ['is not there', '/no/such/command', /ended with 127/],
  ])('is an error when the command %s', async (_, failing, message) => {
    await expect(signedNote(CHECKPOINT, by(failing.replaceAll('$D', folder)))).rejects.toThrow(message);
  });

  it('is an Ed25519 key', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey;
    expect(() => publicKeyOf(other.export({ type: 'spki', format: 'pem' }) as string)).toThrow('no Ed25519');
    expect(() => publicKeyOf('nothing')).toThrow('no Ed25519');
  });
});
