import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { fileNameOf, type StoredFile } from '#domain/training-job/index.js';
import type { ExportWork } from '../../contract/work.js';
import type { ExportedModel } from '#gpu-runner/engines/decoder-engine.js';
import type { WorkContext } from '../context.js';
import { UnfitRunnerError } from '../pinned-engine.js';
import { exportCard } from './card.js';
import { downloadFolder } from '../folders.js';

const CARD = 'README.md';
/** File of hashes, in the format of `sha256sum -c`. */
const SUMS = 'SHA256SUMS';
/** Share of the engine's work in an export; the rest is hashing and storing. */
const ENGINE_SHARE = 0.8;

/**
 * Runs an attempt at an export: the engine writes the folder; a model card and the hashes of its files are added, and it is stored as
 * one tar under `jobs/<id>/exports/`.
 * @throws ArtifactError, UnsupportedExportError, DamagedObjectError, UnfitRunnerError their messages are for the user
 */
export async function exportModel(work: ExportWork, context: WorkContext): Promise<void> {
  const { directory, objectStore, say } = context;
  const { request } = work.job;
  const name = `${fileNameOf(request)}-${work.format}`;
  const folder = join(directory, name);
  const exported = await written(work, folder, context);
  const files = await filesOf(folder, () => say.working());
  await writeFile(join(folder, CARD), exportCard(work, exported, files));
  const all = await filesOf(folder, () => say.working());
  await writeFile(join(folder, SUMS), all.map((file) => `${file.sha256}  ${file.name}\n`).join(''));
  say.progress({ fraction: ENGINE_SHARE, epoch: 0, step: 0 });
  const key = `jobs/${request.jobId}/exports/${work.format}/${work.attempt}.tar`;
  const { size, sha256 } = await objectStore.put(key, tarOf(folder, name));
  say.report({ kind: 'exported', archive: { key, size, sha256 } });
}

async function written(
  { format, job }: ExportWork,
  outputDirectory: string,
  { pinned: engineOf, directory, objectStore, say, signal }: WorkContext,
): Promise<ExportedModel> {
  const pinned = await engineOf();
  if (pinned.kind === 'encoder' || !pinned.engine.export)
    throw new UnfitRunnerError(`The engine ${job.request.engine.name} cannot export models`);
  const { engine, baseDirectory } = pinned;
  const adapterDirectory = join(directory, 'adapter');
  await downloadFolder(objectStore, job.artifact, adapterDirectory);
  try {
    return await engine.export!(
      { format, baseDirectory, adapterDirectory, outputDirectory },
      (report) => {
        if (report.kind === 'progress') say.progress({ fraction: report.fraction * ENGINE_SHARE, epoch: 0, step: 0 });
        else if (report.kind === 'log') say.log(report.level, report.message);
        else say.working();
      },
      signal,
    );
  } finally {
    await engine.close();
  }
}

/** The files of a folder, by name. @param onChunk called while they are read */
async function filesOf(folder: string, onChunk: () => void): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const path = join(folder, name);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer);
      onChunk();
    }
    files.push({ name, sha256: hash.digest('hex'), size: (await stat(path)).size });
  }
  return files;
}

/** A folder of files as a tar that can be read again from its beginning. The same files give the same bytes. */
const tarOf = (folder: string, name: string): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    const tar = pack();
    const packed = packAll(tar, folder, name).catch((error: unknown) => tar.destroy(error as Error));
    try {
      yield* tar as AsyncIterable<Uint8Array>;
    } finally {
      tar.destroy();
      await packed;
    }
  },
});

/** Packs without compression, which makes weights no smaller. */
async function packAll(tar: Pack, folder: string, name: string): Promise<void> {
  for (const file of (await readdir(folder)).toSorted()) {
    const path = join(folder, file);
    const { size } = await stat(path);
    const header = { name: `${name}/${file}`, size, mode: 0o644, uid: 0, gid: 0, mtime: new Date(0) };
    await pipeline(createReadStream(path), tar.entry(header));
  }
  tar.finalize();
}
