import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../support/requests.js';
import { eventually } from '#test/support/eventually.js';
import type { SystemUnderKills } from './system.js';

const ROWS = 60_000;

/** APIs and workers that are killed in the middle of one upload. */
export function killedUploads(system: SystemUnderKills): void {
  const content = Array.from({ length: ROWS }, (_, row) => {
    const city = `Town${row}`;
    return `${JSON.stringify({ text: `please book a flight to ${city} for ${row} people`, entities: [[city, 'destination']] })}\n`;
  }).join('');

  interface Begun {
    readonly dataset_id: string;
    readonly presigned_url: string;
  }
  const begin = (name: string) =>
    system.api().post<Begun>('/felix/datasets/upload/url', { dataset_name: name, filename: 'rows.jsonl' });
  const eventsOf = async (versionId: string) =>
    (await system.log()).filter(({ data }) => data['versionId'] === versionId).map(({ type }) => type);
  const process = (url: string, id: string) =>
    ask(url, system.key, 'POST', '/felix/datasets/upload/process', { dataset_id: id });

  it('an upload whose client broke off can be made again; what was sent is no part of it', async () => {
    const { dataset_id: id, presigned_url: address } = await begin('broken-off');
    const cut = new AbortController();
    const putting = fetch(address, {
      method: 'PUT',
      headers: { 'content-length': String(content.length) },
      body: new ReadableStream({
        start: (stream) => stream.enqueue(Buffer.from(content.slice(0, content.length / 2))),
        // Called for more once this much has been sent.
        pull: () => cut.abort(),
      }),
      signal: cut.signal,
      duplex: 'half',
    });
    await expect(putting).rejects.toThrow();
    expect(await process(system.fleet.urls()[0]!, id)).toMatchObject({ status: 409 });
    const small = content.slice(0, content.indexOf('\n', 10_000) + 1);
    expect((await fetch(address, { method: 'PUT', body: small })).status).toBe(200);
    expect(await process(system.fleet.urls()[0]!, id)).toMatchObject({ status: 202 });
    const version = await finished('broken-off');
    expect(version).toMatchObject({ status: 'ready', sample_size: small.trim().split('\n').length });
  });

  it('an upload is ready once, with all its rows, when the API that seals it and the worker that reads it are killed', async () => {
    const { fleet, random } = system;
    const { dataset_id: id, presigned_url: address } = await begin('large');
    expect((await fetch(address, { method: 'PUT', body: content })).status).toBe(200);
    const [api] = fleet.of('api');
    const sealing = process(fleet.urls()[0]!, id);
    await sleep(random.below(120));
    await fleet.kill(api!);
    await sealing;
    await eventually(async () => {
      const outcome = await process(fleet.urls()[0]!, id);
      return outcome.kind === 'answered' && outcome.status === 202;
    });
    const reader = await eventually(() => fleet.withChild('worker'));
    await sleep(random.below(300));
    await fleet.kill(reader);
    await Promise.all([fleet.start(api!), fleet.start(reader)]);
    expect(await finished('large')).toMatchObject({ status: 'ready', sample_size: ROWS });
    const events = await eventsOf(id);
    const times = (type: string) => events.filter((each) => each === type).length;
    expect({
      sealed: times('dataset-version-sealed.v1'),
      ready: times('dataset-version-ready.v1'),
      failed: times('dataset-version-failed.v1'),
    }).toEqual({ sealed: 1, ready: 1, failed: 0 });
    await fleet.orphansEnded();
  });

  it('a file whose reader is killed three times is read all the same', async () => {
    const { fleet } = system;
    const { dataset_id: id, presigned_url: address } = await begin('unlucky');
    expect((await fetch(address, { method: 'PUT', body: content })).status).toBe(200);
    expect(await process(fleet.urls()[0]!, id)).toMatchObject({ status: 202 });
    for (let kills = 0; kills < 3; kills += 1) {
      const reader = await eventually(
        async () => (await fleet.withChild('worker')) ?? (await eventsOf(id)).includes('dataset-version-ready.v1'),
      );
      if (reader === true) break;
      await fleet.kill(reader);
      await fleet.start(reader);
    }
    expect(await finished('unlucky')).toMatchObject({ status: 'ready', sample_size: ROWS });
  });

  async function finished(name: string) {
    interface Version {
      readonly status: string;
      readonly processing_error: string | null;
    }
    return eventually(async () => {
      const version = await system.api().get<Version>(`/felix/datasets/${name}/latest`);
      return ['ready', 'failed'].includes(version.status) && version;
    });
  }
}
