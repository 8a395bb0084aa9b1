import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, SETTINGS, SettingsError } from './index.js';

describe('settings', () => {
  it('have complete defaults', () => {
    expect(readSettings({})).toMatchObject({
      port: null,
      eventStore: null,
      host: '127.0.0.1',
      dataDir: '.anneal',
      durability: 'full',
      attemptSilenceMinutes: 30,
      torchAdapterBytes: 1073741824,
      uploadMaxBytes: 5368709120,
      bodyMaxBytes: 16777216,
      rateLimits: true,
      corsOrigins: null,
      metricsPort: null,
      bootstrapApiKey: null,
    });
  });

  it('treat an empty value as unset', () => {
    expect(readSettings({ PORT: '', ANNEAL_DATA_DIR: ' ' })).toEqual(readSettings({}));
  });

  it('are read from the environment', () => {
    const key = `fast_sk_${'k'.repeat(40)}`;
    expect(
      readSettings({
        PORT: '0',
        ANNEAL_PUBLIC_URL: 'https://anneal.example.com/',
        ANNEAL_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8, fd00::1',
        ANNEAL_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173, app://obsidian.md',
        ANNEAL_DURABILITY: 'normal',
        ANNEAL_BOOTSTRAP_API_KEY: key,
        ANNEAL_ADMIN_EMAIL: 'Ada@Example.com',
        ANNEAL_ADMIN_PASSWORD: 'correct horse battery',
        ANNEAL_RATE_LIMITS: 'off',
        ANNEAL_AUDIT_CHECKPOINTS: 'file:/mnt/kept',
        ANNEAL_AUDIT_TIMESTAMPS: 'http://tsa.example/tsr /etc/tsa.pem',
        ANNEAL_AUDIT_WITNESSES: 'https://w.example/a w.example+00112233+BAAA, http://keeper.internal:9000/notes',
      }),
    ).toMatchObject({
      port: 0,
      publicUrl: 'https://anneal.example.com',
      trustedProxies: 'loopback, 10.0.0.0/8, fd00::1',
      corsOrigins: ['https://app.example.com', 'http://localhost:5173', 'app://obsidian.md'],
      durability: 'normal',
      bootstrapApiKey: key,
      adminEmail: 'ada@example.com',
      adminPassword: 'correct horse battery',
      rateLimits: false,
      auditCheckpoints: { kind: 'folder', directory: '/mnt/kept' },
      auditTimestamps: { url: 'http://tsa.example/tsr', certificates: '/etc/tsa.pem' },
      auditWitnesses: [
        { url: 'https://w.example/a', key: 'w.example+00112233+BAAA' },
        { url: 'http://keeper.internal:9000/notes', key: null },
      ],
    });
  });

  it.each([
    ['PORT', '99999'],
    ['PORT', 'http'],
    ['ANNEAL_CALL_INLINE_BYTES', '4096'],
    ['ANNEAL_PUBLIC_URL', 'anneal.example.com'],
    ['ANNEAL_PUBLIC_URL', 'ftp://example.com'],
    ['ANNEAL_TRUSTED_PROXIES', 'everyone'],
    ['ANNEAL_TRUSTED_PROXIES', 'loopback, 10.0.0.0/33'],
    ['ANNEAL_CORS_ORIGINS', 'app.example.com'],
    ['ANNEAL_CORS_ORIGINS', 'https://app.example.com/'],
    ['ANNEAL_CORS_ORIGINS', 'https://app.example.com/path'],
    ['ANNEAL_CORS_ORIGINS', 'https://App.example.com'],
    ['ANNEAL_CORS_ORIGINS', 'https://app.example.com:443'],
    ['ANNEAL_CORS_ORIGINS', 'https://*.example.com'],
    ['ANNEAL_CORS_ORIGINS', 'https://app.example.com,*'],
    ['ANNEAL_CORS_ORIGINS', 'https://app.example.com,,'],
    ['ANNEAL_CORS_ORIGINS', 'null'],
    ['ANNEAL_CORS_ORIGINS', 'file://'],
    ['ANNEAL_AUDIT_CHECKPOINTS', '/mnt/hunter2'],
    ['ANNEAL_AUDIT_CHECKPOINTS', 'ftp://ada:hunter2@keeper'],
    ['ANNEAL_AUDIT_TIMESTAMPS', 'tsa.example'],
    ['ANNEAL_AUDIT_TIMESTAMPS', 'ada:hunter2@tsa.example'],
    ['ANNEAL_AUDIT_WITNESSES', 'w.example'],
    ['ANNEAL_AUDIT_WITNESSES', 'https://w.example key more'],
    ['ANNEAL_DURABILITY', 'maybe'],
    ['ANNEAL_BOOTSTRAP_API_KEY', 'sk-hunter2hunter2'],
    ['ANNEAL_BOOTSTRAP_API_KEY', 'pio_sk_hunter2'],
    ['ANNEAL_ADMIN_EMAIL', 'hunter2'],
    ['ANNEAL_ADMIN_PASSWORD', 'hunter2'],
    ['ANNEAL_SECRET_KEY', 'hunter2'],
    ['ANNEAL_METRICS_PORT', '-1'],
    ['ANNEAL_LOG_LEVEL', 'loud'],
    ['ANNEAL_ATTEMPT_SILENCE_MINUTES', '0'],
    ['ANNEAL_ATTEMPT_SILENCE_MINUTES', '1441'],
    ['ANNEAL_UPLOAD_MAX_BYTES', '5GB'],
    ['ANNEAL_BODY_MAX_BYTES', '0'],
    ['ANNEAL_RATE_LIMITS', 'perhaps'],
    ['ANNEAL_EVENT_STORE', 'postgres://ada:hunter2@db'],
    ['ANNEAL_EVENT_STORE', 'sqlite:'],
    ['ANNEAL_READ_STORE', 'redis://:hunter2@db'],
    ['ANNEAL_COORDINATION', 'hunter2'],
    ['ANNEAL_BUS', 'amqp://ada:hunter2@db'],
    ['ANNEAL_OBJECT_STORE', 'https://ada:hunter2@db'],
    ['ANNEAL_RUNNER_NAME', 'a runner'],
  ])('%s=%s stops with one line that names it and shows no secret', (name, value) => {
    let refused: unknown;
    try {
      readSettings({ ANNEAL_ADMIN_EMAIL: 'ada@example.com', [name]: value });
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(SettingsError);
    const { message } = refused as SettingsError;
    expect(message.startsWith(`${name} `)).toBe(true);
    expect(message).not.toContain('\n');
    expect(message).not.toContain('hunter2');
  });

  it('choose adapters by addresses', () => {
    const secretKey = 'k'.repeat(32);
    expect(
      readSettings({
        ANNEAL_SECRET_KEY: secretKey,
        ANNEAL_EVENT_STORE: 'esdb://ada:hunter2@log:2113?tls=false',
        ANNEAL_READ_STORE: 'mongodb://documents/anneal',
        ANNEAL_COORDINATION: 'sqlite:/var/lib/anneal',
        ANNEAL_CONTENT_KEYS: 'mongodb://keys/anneal',
        ANNEAL_BUS: 'nats://bus:4222',
        ANNEAL_OBJECT_STORE: 'file:///srv/objects',
      }),
    ).toMatchObject({
      eventStore: { adapter: 'eventstoredb', address: 'esdb://ada:hunter2@log:2113?tls=false' },
      readStore: { adapter: 'mongodb', address: 'mongodb://documents/anneal' },
      coordination: { adapter: 'sqlite', directory: '/var/lib/anneal' },
      contentKeys: { adapter: 'mongodb', address: 'mongodb://keys/anneal' },
      bus: { adapter: 'nats', address: 'nats://bus:4222' },
      objectStore: { kind: 'folder', directory: '/srv/objects' },
    });
    expect(readSettings({ ANNEAL_EVENT_STORE: 'sqlite:data', ANNEAL_BUS: 'in-process' })).toMatchObject({
      eventStore: { adapter: 'sqlite', directory: 'data' },
      bus: { adapter: 'in-process' },
    });
  });

  it('take a secret from the file that NAME_FILE names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'anneal-settings-'));
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const secret = 's'.repeat(40);
    const inFile = { ANNEAL_SECRET_KEY_FILE: file('secret', `${secret}\n`) };
    const bus = { ANNEAL_BUS_FILE: file('bus', 'nats://user:password@bus:4222') };
    expect(readSettings({ ...inFile, ...bus })).toMatchObject({
      ...{ secretKey: secret, bus: { adapter: 'nats', address: 'nats://user:password@bus:4222' } },
    });
    expect(() => readSettings({ ...inFile, ANNEAL_SECRET_KEY: secret })).toThrow(/^ANNEAL_SECRET_KEY_FILE is set, and/);
    expect(() => readSettings({ ANNEAL_HUB_TOKEN_FILE: file('empty', '\n') })).toThrow(
      /^ANNEAL_HUB_TOKEN_FILE .* empty/,
    );
    expect(() => readSettings({ ANNEAL_HUB_TOKEN_FILE: join(folder, 'no') })).toThrow(
      /^ANNEAL_HUB_TOKEN_FILE .*ENOENT/,
    );
    const bad = { ANNEAL_SECRET_KEY_FILE: file('short', 'hunter2') };
    expect(() => readSettings(bad)).toThrow(/^ANNEAL_SECRET_KEY (?!.*hunter2)/);
    rmSync(folder, { recursive: true });
  });

  it('refuse a place for the keys of contents without one for backups', () => {
    expect(() => readSettings({ ANNEAL_BACKUP_KEYS: 'file:/keys' })).toThrow(/^ANNEAL_BACKUP_TARGET is not set/);
  });

  it('require the shared secret for a server', () => {
    expect(() => readSettings({ ANNEAL_BUS: 'nats://bus:4222' })).toThrow(/^ANNEAL_SECRET_KEY /);
  });

  it('refuse an incomplete OpenID provider', () => {
    const oidc = {
      ...{ ANNEAL_OIDC_ISSUER: 'https://login.example.com', ANNEAL_OIDC_CLIENT_ID: 'anneal' },
      ...{ ANNEAL_OIDC_CLIENT_SECRET: 'x', ANNEAL_OIDC_ROLES: 'groups:a=b=developer, role:boss=owner' },
    };
    expect(readSettings(oidc).oidcRoles).toEqual([
      { claim: 'groups', value: 'a=b', role: 'developer' },
      { claim: 'role', value: 'boss', role: 'owner' },
    ]);
    for (const name of Object.keys(oidc).slice(0, 3))
      expect(() => readSettings({ ...oidc, [name]: '' })).toThrow(new RegExp(`^${name} is not set`));
    for (const roles of ['x', 'groups:a=king', 'groups:a=owner,'])
      expect(() => readSettings({ ...oidc, ANNEAL_OIDC_ROLES: roles })).toThrow(/^ANNEAL_OIDC_ROLES /);
    expect(() => readSettings({ ...oidc, ANNEAL_OIDC_ISSUER: 'http://login.example.com' })).toThrow(/https/);
  });

  it('refuse a password without its e-mail address', () => {
    expect(() => readSettings({ ANNEAL_ADMIN_PASSWORD: 'correct horse battery' })).toThrow(/^ANNEAL_ADMIN_EMAIL /);
  });

  it('are each named once in the table and explained', () => {
    expect(new Set(SETTINGS.map(({ name }) => name)).size).toBe(SETTINGS.length);
    for (const { meaning } of SETTINGS) expect(meaning).toMatch(/\.$|\)\.$/);
  });
});
