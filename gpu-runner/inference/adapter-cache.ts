import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { v7 as uuid7 } from 'uuid';
import type { StoredFolder } from '#domain/training-job/index.js';
import type { ObjectStore } from '#object-store/port.js';
import { verified } from '#object-store/verified.js';
import { ArtifactError } from '../engine/engine.js';

/**
 * Adapters on local disk, fetched once from the object store. A folder is named by the hashes of its files, so that it can
 * never be stale, and appears whole or not at all.
 */
export class AdapterCache {
  /** By object prefix: what lies below one never changes. */
  private readonly fetched = new Map<string, Promise<string>>();

  constructor(
    private readonly objectStore: ObjectStore,
    private readonly directory: string,
  ) {}

  /**
   * @returns the local folder
   * @throws ArtifactError when a file is not what the log says it is
   * @throws ObjectNotFoundError when it is not there
   */
  fetch(folder: StoredFolder): Promise<string> {
    let fetched = this.fetched.get(folder.objectPrefix);
    if (!fetched) {
      fetched = this.fetchOnce(folder, join(this.directory, folderName(folder)));
      this.fetched.set(folder.objectPrefix, fetched);
      fetched.catch(() => this.fetched.delete(folder.objectPrefix));
    }
    return fetched;
  }

  private async fetchOnce(folder: StoredFolder, target: string): Promise<string> {
    if (await exists(target)) return target;
    const temporary = `${target}.${uuid7()}.partial`;
    await mkdir(temporary, { recursive: true });
    try {
      for (const file of folder.files) await this.fetchFile(folder, file, temporary);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      // Another process on the same folder was first: what it fetched is the same.
      if (!(await exists(target))) throw error;
    }
    return target;
  }

  private async fetchFile(folder: StoredFolder, file: StoredFolder['files'][number], into: string): Promise<void> {
    const content = await this.objectStore.get(`${folder.objectPrefix}/${file.name}`);
    const damaged = () => new ArtifactError(`${file.name} is not the file that the log names`);
    await pipeline(verified(content, file.sha256, damaged), createWriteStream(join(into, file.name)));
  }
}

const folderName = (folder: StoredFolder): string =>
  createHash('sha256')
    .update(JSON.stringify(folder.files.map(({ name, sha256 }) => [name, sha256])))
    .digest('hex');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
