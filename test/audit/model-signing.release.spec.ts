import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { run } from '#test/servers/tools.js';
import { describeWith } from '#test/torch/environment.js';
import { independentVerifier } from './independent-verifier.js';

await describeWith(
  'the archive of a trained model',
  () => independentVerifier('model-signing'),
  (python) => {
    let api: TestApi;
    let directory: string;
    let model: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'anneal-signing-'));
      api = await startTestApi();
      const client = new TrainingClient(api);
      await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
      const body = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }], nr_epochs: 1 };
      const { id } = await client.start({ model_name: 'trips', ...body });
      await client.ended(id);
      const { body: download } = await api.call('GET', `/felix/training-jobs/${id}/download`);
      const archive = join(directory, download.file_name as string);
      await writeFile(archive, Buffer.from(await (await fetch(download.download_url as string)).arrayBuffer()));
      await run('tar', ['-xzf', archive, '-C', directory]);
      model = archive.replace('.tar.gz', '');
      const { body: keys } = await api.call('GET', '/audit/model-keys', undefined, {});
      await writeFile(join(directory, 'model-keys.pem'), keys as string);
    });
    afterAll(async () => {
      await api.close();
      await rm(directory, { recursive: true });
    });

    const verify = () => {
      const places = ['--signature', join(model, 'model.sig'), '--public_key', join(directory, 'model-keys.pem')];
      return run(python, ['-m', 'model_signing', 'verify', 'key', model, ...places]);
    };

    it('is accepted by OpenSSF model-signing, and refused once a file is changed or added', async () => {
      expect(await verify()).toContain('Verification succeeded');
      const card = await readFile(join(model, 'README.md'));
      await appendFile(join(model, 'README.md'), ' ');
      await expect(verify()).rejects.toThrow('README.md');
      await writeFile(join(model, 'README.md'), card);
      await writeFile(join(model, 'added.py'), '');
      await expect(verify()).rejects.toThrow('added.py');
    });
  },
);
