import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { datasetStreamId, loadVersion } from '#application/datasets.js';
import type { DatasetVersion, FilePurpose } from '#domain/dataset/index.js';
import { ConflictError, DamagedError, NotFoundError } from '#domain/errors.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import type { DatasetVersionDocument } from '#projections/dataset-versions/projection.js';
import { datasetVersionDocuments, pageOfFiles } from '#projections/dataset-versions/queries.js';
import { shownTo } from '../datasets/seen-versions.js';
import { patientWithYoung } from '../inferences/patience.js';
import { CallerQuery } from '../commands-and-queries.js';
import { fileNameOf } from './as-file.js';
import { FILE_ID } from './ids.js';

/**
 * The dataset version that a file id names, from the log itself; a read model only knows the name of its dataset.
 * @throws NotFoundError also when it was deleted, or is of another workspace
 */
export function findFile(application: Application, caller: Caller, fileId: string): Promise<DatasetVersion> {
  const { workspaceId } = caller;
  const versionId = FILE_ID.read(fileId);
  const read = async () => {
    const seen = await datasetVersionDocuments.get(application.ports.readStore, versionId);
    const version = seen && (await loadVersion(application, datasetStreamId(workspaceId, seen.name), versionId));
    if (!version || version.status === 'deleted') throw new NotFoundError('file', fileId);
    return shownTo(caller, version);
  };
  return patientWithYoung(application, { id: versionId, seenIn: datasetVersionDocuments.collection, read });
}

export class GetFile extends CallerQuery<string, DatasetVersion> {}

@QueryHandler(GetFile)
export class GetFileHandler implements IQueryHandler<GetFile> {
  constructor(private readonly application: Application) {}

  execute({ caller, input: fileId }: GetFile): Promise<DatasetVersion> {
    return findFile(this.application, caller, fileId);
  }
}

interface FilePage {
  readonly files: readonly DatasetVersionDocument[];
  readonly hasMore: boolean;
}

interface FilesRequest {
  /** Id of the last file of the previous page. */
  readonly after?: string;
  readonly limit: number;
  /** By creation; absent: descending. */
  readonly order?: 'asc' | 'desc';
  readonly purpose?: FilePurpose | 'fine-tune';
}

export class ListFiles extends CallerQuery<FilesRequest, FilePage> {}

@QueryHandler(ListFiles)
export class ListFilesHandler implements IQueryHandler<ListFiles> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: { after, limit, order, purpose } }: ListFiles): Promise<FilePage> {
    const found = await pageOfFiles(this.application.ports.readStore, caller.workspaceId, {
      after: after === undefined ? null : FILE_ID.read(after),
      limit: limit + 1,
      order: order === 'asc' ? 'ascending' : 'descending',
      purpose: purpose === undefined ? 'any' : purpose === 'fine-tune' ? null : purpose,
    });
    const files = found.slice(0, limit).map((version) => shownTo(caller, version));
    return { files, hasMore: found.length > limit };
  }
}

interface FileContent {
  readonly content: Readable;
  readonly size: number;
  readonly fileName: string;
}

export class GetFileContent extends CallerQuery<string, FileContent> {}

@QueryHandler(GetFileContent)
export class GetFileContentHandler implements IQueryHandler<GetFileContent> {
  constructor(private readonly application: Application) {}

  /** The bytes that were uploaded. @throws NotFoundError; ConflictError before they are; DamagedError */
  async execute({ caller, input: fileId }: GetFileContent): Promise<FileContent> {
    const version = await findFile(this.application, caller, fileId);
    const source = 'source' in version ? version.source : null;
    if (source === null) throw new ConflictError(`file ${fileId} has no content yet; wait until it is processed`);
    const { key, size, sha256 } = source;
    const content = await this.application.ports.objectStore.get(key).catch((error: unknown) => {
      throw error instanceof ObjectNotFoundError ? damaged(fileId, 'no longer stored') : error;
    });
    const whole = verified(content, sha256, () => damaged(fileId, 'damaged: their sha256 is not the recorded one'));
    return { content: Readable.from(whole), size, fileName: fileNameOf(version) };
  }
}

const damaged = (fileId: string, what: string): DamagedError =>
  new DamagedError(
    `the stored bytes of ${fileId} are ${what}; restore the object store from a backup, or upload it again`,
  );
