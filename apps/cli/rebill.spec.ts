import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from '#application/accounts/index.js';
import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { compose } from '#apps/composition/compose.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { Settings } from '#settings/index.js';
import { goldenEvents } from '#test/golden/events.js';

const ANNEAL = join(import.meta.dirname, 'main.js');

describe('anneal rebill', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-rebill-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  /** A folder with one recorded call of this cost. */
  async function withCall(costPicodollars: string): Promise<void> {
    const system = await compose(new Settings({ dataDir }));
    const { user } = await bootstrap(system.application, system.secret, system.settings);
    const sample = goldenEvents.find(({ type }) => type === 'call-metered.v1')!;
    const data = { ...sample.data, teamId: user.teamId, keyId: null, costPicodollars };
    const event = envelope('metered-x', { type: sample.type, data }, 0, systemContext('test', user.workspaceId));
    await system.application.ports.eventStore.append('metered-x', NO_STREAM, [event]);
    await system.close();
  }

  async function rebill() {
    const child = spawn(process.execPath, [ANNEAL, 'rebill', '--json'], {
      env: { ...process.env, ANNEAL_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close') as Promise<[number]>;
    const out = Buffer.concat(await Array.fromAsync(child.stdout as AsyncIterable<Buffer>)).toString();
    const frames = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    return { code: (await closed)[0], frames };
  }

  it('exits with 0 if nothing differs', async () => {
    await withCall('2100000');
    expect(await rebill()).toMatchObject({
      code: 0,
      frames: [{ kind: 'bill', calls: 1, dollars: '0.0000021', differences: 0 }],
    });
  });

  it("exits with 1 if a call's cost is not its usage times its price, and names it", async () => {
    await withCall('2100001');
    const { code, frames } = await rebill();
    expect(code).toBe(1);
    const what = `call ${goldenEvents.find(({ type }) => type === 'call-metered.v1')!.data['inferenceId'] as string}`;
    expect(frames).toContainEqual(expect.objectContaining({ what, byLog: '$0.0000021', found: '$0.000002100001' }));
  });
});
