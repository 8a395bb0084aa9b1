import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Settings } from '#settings/index.js';
import { auditSettings, keptGreeting } from './audit-settings.js';

describe('the settings of the audit', () => {
  let folder: string;
  let dataDir: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-audit-settings-'));
    dataDir = join(folder, 'data');
    await mkdir(dataDir);
    await symlink(dataDir, join(folder, 'link'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const keptIn = (directory: string) =>
    auditSettings(new Settings({ dataDir, auditCheckpoints: { kind: 'folder', directory } }));

  it('keep checkpoints outside the data folder only, also through links', () => {
    for (const inside of [dataDir, join(dataDir, 'kept'), join(folder, 'link', 'kept'), join(dataDir, '..kept')])
      expect(() => keptIn(inside)).toThrow('ANNEAL_AUDIT_CHECKPOINTS is in the data folder');
    const outside = join(folder, 'data-kept');
    expect(keptIn(outside).anchors).toEqual({ place: { kind: 'folder', directory: outside }, timestamps: null });
  });

  it('say at the start that none is kept', () => {
    expect(keptGreeting(new Settings({ dataDir }))).toEqual([
      expect.stringContaining('No checkpoint of the audit is kept outside'),
    ]);
    const place = { kind: 'web', url: 'https://keeper.example' } as const;
    expect(keptGreeting(new Settings({ dataDir, auditCheckpoints: place }))).toEqual([]);
  });

  it('have a signing command and its key, or neither', async () => {
    const file = join(folder, 'key.pub');
    const { publicKey } = generateKeyPairSync('ed25519');
    await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
    const signing = (values: Partial<Settings>) => auditSettings(new Settings({ dataDir, ...values })).signing;
    expect(signing({})).toBeNull();
    expect(signing({ auditSigningCommand: 'sign', auditSigningKey: file })).toMatchObject({ command: 'sign' });
    expect(() => signing({ auditSigningCommand: 'sign' })).toThrow('ANNEAL_AUDIT_SIGNING_KEY is not set');
    expect(() => signing({ auditSigningKey: file })).toThrow('ANNEAL_AUDIT_SIGNING_COMMAND is not set');
    await writeFile(file, 'nothing');
    expect(() => signing({ auditSigningCommand: 'sign', auditSigningKey: file })).toThrow('no Ed25519 public key');
  });
});
