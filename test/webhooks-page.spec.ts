import { spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { WEBHOOK_TYPES } from '#domain/webhook/index.js';

const ROOT = join(import.meta.dirname, '../..');
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = '{"type":"dataset.ready","data":{"dataset_name":"café"}}';

/** A program around the code of the page, which reads the body and headers from its arguments. */
const PROGRAMS = {
  ts: {
    file: 'read.mts',
    command: process.execPath,
    rest: `\nconst [body, headers] = process.argv.slice(2);\nconsole.log(JSON.stringify(read(body!, JSON.parse(headers!))));\n`,
  },
  python: {
    file: 'read.py',
    command: 'python3',
    rest: `\nimport sys\nprint(json.dumps(read(sys.argv[1].encode(), json.loads(sys.argv[2]))))\n`,
  },
} as const;
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('docs/guides/webhooks.md', () => {
  let page: string;
  /** Within the project, so that its packages are found. */
  let folder: string;
  beforeAll(async () => {
    page = await readFile(join(ROOT, 'docs/guides/webhooks.md'), 'utf8');
    folder = await mkdtemp(join(ROOT, 'dist/webhooks-page-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  function headers(body = BODY): Record<string, string> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${randomBytes(32).toString('base64')} v1,${signature}`,
    };
  }

  async function run(language: keyof typeof PROGRAMS, body: string, given: Record<string, string>) {
    const { file, command, rest } = PROGRAMS[language];
    const [, code] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)!;
    const path = join(folder, file);
    await writeFile(path, code! + rest);
    const child = spawn(command, [path, body, JSON.stringify(given)], {
      env: { ...process.env, WEBHOOK_SECRET: SECRET, PYTHONIOENCODING: 'utf8' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const out = await text(child.stdout);
    return { status: await ended, message: out === '' ? null : (JSON.parse(out) as unknown) };
  }

  for (const language of ['ts', 'python'] as const)
    (language === 'ts' || hasPython ? it : it.skip)(
      `verifies a message with its ${language} example, and refuses others`,
      async () => {
        expect(await run(language, BODY, headers())).toEqual({ status: 0, message: JSON.parse(BODY) });
        for (const given of [
          headers(`${BODY} `),
          { ...headers(), 'webhook-id': 'msg_2' },
          { ...headers(), 'webhook-timestamp': '1' },
        ])
          expect(await run(language, BODY, given)).toMatchObject({ status: 1, message: null });
      },
    );

  it('lists every type', () => {
    const listed = [...page.matchAll(/^\| `(?!type`)([a-z_]+(?:\.[a-z_]+)?)` /gm)].map(([, type]) => type);
    expect(listed.toSorted()).toEqual([...WEBHOOK_TYPES, 'webhook.test'].toSorted());
  });
});
