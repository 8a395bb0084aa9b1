import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readSettings, SETTINGS } from '#settings/index.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly restart?: string;
  readonly volumes?: readonly string[];
  readonly deploy?: { readonly replicas: number };
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const whole = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { services, volumes } = whole;

const FILLED_IN = {
  ANNEAL_SECRET_KEY: 'k'.repeat(64),
  AWS_ACCESS_KEY_ID: 'anneal',
  AWS_SECRET_ACCESS_KEY: 'secret',
  EVENTSTORE_ADMIN_PASSWORD: 'a',
  EVENTSTORE_PASSWORD: 'e',
  MONGODB_PASSWORD: 'm',
  NATS_PASSWORD: 'n',
};

const all = Object.entries(services);
/** Those with all settings. */
const ours = all.filter(([name, { image }]) => image.startsWith('anneal:') && name !== 'event-store-user');

describe('docker-compose.yml', () => {
  it.each(all)('pins %s to one exact version', (_name, { image }) => {
    expect(image).toMatch(/:v?\d+\.\d+\.\d+(-[a-z-]+)?$/);
  });

  it.each(all.filter(([, { restart }]) => restart !== 'no'))('restarts %s, and checks its health', (_name, it) => {
    expect(it.restart).toBe('unless-stopped');
    expect(it.healthcheck?.test?.length).toBeGreaterThan(1);
    // YAML makes a mapping of `a: b` without quotes.
    expect(it.healthcheck!.test!.filter((word) => typeof word !== 'string')).toEqual([]);
  });

  it.each(all)('starts %s after its dependencies are healthy', (_name, { depends_on = {} }) => {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      expect(services).toHaveProperty([other]);
      expect(condition).toBe(services[other]!.restart === 'no' ? 'service_completed_successfully' : 'service_healthy');
    }
  });

  it.each(ours)('gives %s only known settings', (_name, { environment = {} }) => {
    const known = [...SETTINGS.map(({ name }) => name), 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
  });

  it.each(ours)('gives %s valid settings, once .env is filled in', (_name, { environment = {} }) => {
    const given = interpolated(environment, FILLED_IN);
    expect(readSettings(given)).toMatchObject({
      eventStore: { adapter: 'eventstoredb' },
      readStore: { adapter: 'mongodb' },
      bus: { adapter: 'nats' },
      objectStore: { kind: 's3', address: expect.stringContaining('publicEndpoint=http://localhost:7070') },
    });
  });

  it.each(['ANNEAL_SECRET_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])(
    'refuses to start without %s, and says what to do',
    (name) => {
      for (const [, { environment }] of ours) expect(environment![name]).toMatch(/^\$\{\w+:\?.*\.env/);
    },
  );

  it('lists in .env.example every variable that it reads from .env', () => {
    const example = read('.env.example');
    for (const [, name] of read('docker-compose.yml').matchAll(/\$\{(\w+):[?-]/g))
      if (name !== 'ANNEAL_BOOTSTRAP_API_KEY') expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  it('runs every role twice, behind one proxy', () => {
    const twice = (role: string) =>
      ours
        .filter(([, { command }]) => command?.[0] === role)
        .reduce((sum, [, service]) => sum + (service.deploy?.replicas ?? 1), 0);
    expect(['api', 'worker', 'gpu-runner'].map(twice)).toEqual([2, 2, 2]);
    for (const [name] of ours.filter(([, { command }]) => command?.[0] === 'api'))
      expect(read('deploy/Caddyfile')).toContain(`${name}:8080`);
  });

  it('speaks TLS to its servers, with a certificate for each that one authority made', () => {
    const { SERVERS } = services['certificates']!.environment!;
    expect(SERVERS!.split(' ')).toEqual(['eventstore', 'mongodb', 'nats']);
    for (const name of SERVERS!.split(' ')) {
      expect(services[name]!.volumes).toContain('certificates:/certificates:ro');
      expect(services[name]!.depends_on).toHaveProperty(['certificates']);
    }
    for (const [, { environment, volumes: mounted }] of ours) {
      expect(mounted).toContain('certificates:/certificates:ro');
      const { ANNEAL_EVENT_STORE, ANNEAL_READ_STORE, ANNEAL_COORDINATION, ANNEAL_BUS } = environment!;
      const addresses = [ANNEAL_EVENT_STORE, ANNEAL_READ_STORE, ANNEAL_COORDINATION, ANNEAL_BUS];
      expect(
        addresses.filter((each) => !/tls=true|^tls:/.test(each!) || !each!.includes('/certificates/ca/ca.crt')),
      ).toEqual([]);
    }
    expect(read('deploy/nats.conf')).toContain('cert_file: /certificates/nats/node.crt');
    expect(services['mongodb']!.command!.join()).toContain('--tlsMode requireTLS');
  });

  it('scrapes every process, and shows the dashboards', () => {
    const { scrape_configs } = parse(read('deploy/monitoring/prometheus.yml')) as {
      readonly scrape_configs: readonly { readonly dns_sd_configs: readonly { names: string[]; port: number }[] }[];
    };
    const [{ names, port }] = scrape_configs[0]!.dns_sd_configs as [{ names: string[]; port: number }];
    const roles = ours.filter(([, { restart }]) => restart !== 'no');
    expect(names).toEqual(roles.map(([name]) => name));
    for (const [, { environment }] of roles) expect(environment!['ANNEAL_METRICS_PORT']).toBe(String(port));
    expect(services['grafana']!.volumes).toContain('./deploy/monitoring/grafana:/etc/grafana/anneal:ro');
  });

  it('keeps data on volumes', () => {
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(['events', 'documents', 'messages', 'objects']));
  });
});

describe('deploy/three-event-stores.yml', () => {
  const file = 'deploy/three-event-stores.yml';
  const more = parse(read(file), { merge: true }) as Pick<typeof whole, 'services'>;
  const nodes = ['eventstore', 'eventstore-2', 'eventstore-3'];

  it('changes services that there are, and pins those that it adds to one exact version', () => {
    for (const [name, { image }] of Object.entries(more.services))
      if (image === undefined) expect(services).toHaveProperty([name]);
      else expect(image).toMatch(/:v?\d+\.\d+\.\d+(-[a-z-]+)?$/);
  });

  it.each(nodes)('makes %s know the two others by the names in their certificates', (name) => {
    const { image, restart, environment = {} } = more.services[name]!;
    const others = nodes.filter((other) => other !== name);
    expect(image).toBe(services['eventstore']!.image);
    expect(restart).toBe('always');
    expect(environment).toMatchObject({
      EVENTSTORE_CLUSTER_SIZE: '3',
      EVENTSTORE_INSECURE: 'false',
      EVENTSTORE_NODE_HOST_ADVERTISE_AS: name,
      EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS: name,
      EVENTSTORE_GOSSIP_SEED: others.map((other) => `${other}:2113`).join(),
      EVENTSTORE_CERTIFICATE_FILE: `/certificates/${name}/node.crt`,
    });
  });

  it.each(ours.map(([name]) => name).filter((name) => name !== 'bucket'))(
    'gives %s an address of all three',
    (name) => {
      const address = interpolated(more.services[name]!.environment!, { EVENTSTORE_PASSWORD: 'p' })[
        'ANNEAL_EVENT_STORE'
      ];
      expect(address).toContain(`@${nodes.map((node) => `${node}:2113`).join()}?tls=true`);
      expect(services[name]!.depends_on).toHaveProperty(['event-store-user']);
    },
  );
});

/** `${NAME:-default}` and `${NAME:?message}`, as docker compose does it. */
function interpolated(
  environment: Readonly<Record<string, string>>,
  from: Readonly<Record<string, string>>,
): Record<string, string> {
  const value = (text: string) =>
    text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, word: string) => {
      if (from[name] === undefined && kind === '?') throw new Error(`${name}: ${word}`);
      return from[name] ?? word;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, value(text)]));
}
