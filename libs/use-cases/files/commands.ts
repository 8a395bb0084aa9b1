import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import type { CommandContext } from '#log/context.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import {
  datasetDecider,
  newVersionId,
  versionById,
  type DatasetType,
  type DatasetVersion,
  type PinnedObject,
} from '#domain/dataset/index.js';
import { InvalidError } from '#domain/errors.js';
import { isPrintable } from '#domain/printable.js';
import { Settings } from '#settings/index.js';
import { WorkQueues } from '../limits/work-queues.js';
import { CallerCommand } from '../commands-and-queries.js';

/** Purposes of files that clients upload. */
export const UPLOADED_PURPOSES = ['fine-tune', 'batch'] as const;
type UploadedPurpose = (typeof UPLOADED_PURPOSES)[number];

interface SentFile {
  readonly fileName: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A part of an upload. The content of a file is read whole before the next part is requested, or not at all. */
export type UploadPart = { readonly purpose: string } | { readonly file: SentFile };

/** The parts as they come in: the file, once, and its purpose. */
export class UploadFile extends CallerCommand<AsyncIterable<UploadPart>, DatasetVersion> {}

interface StoredFile {
  readonly fileName: string;
  readonly object: PinnedObject;
}

const MAX_FILE_NAME = 255;
/** Bytes of a file that are searched for the names of its columns. */
const LOOKED_AT = 64 * 1024;

/** Makes a dataset version of an uploaded file. The file may come before its purpose, and so is stored first. */
@CommandHandler(UploadFile)
export class UploadFileHandler implements ICommandHandler<UploadFile> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
    private readonly queues: WorkQueues,
  ) {}

  /** @throws InvalidError, QuotaExceededError, QueueFullError, ObjectTooLargeError; what the parts throw */
  async execute({ caller, identity, input: parts }: UploadFile): Promise<DatasetVersion> {
    const { workspaceId } = caller;
    const { storage, ports } = this.application;
    await storage.requireRoom(workspaceId);
    const context = callerContext(caller, identity);
    const versionId = newVersionId({ now: context.now, newId: (what) => derivedId(context.commandId, what) });
    const upload = await storage.openUpload(workspaceId, versionId);
    const key = `datasets/${workspaceId}/${versionId}/source-${randomUUID()}`;
    try {
      let [file, sent]: [StoredFile | null, string | null] = [null, null];
      for await (const part of parts)
        if ('purpose' in part) sent = part.purpose;
        else file = await this.store(part.file, workspaceId, versionId, key);
      const [stored, purpose] = required(file, sent);
      await upload.write({ bytes: stored.object.size, rows: 0 });
      return await this.queues.enter('dataset-processing', caller, () =>
        this.settle(caller, context, versionId, stored, purpose),
      );
    } catch (error) {
      // Best effort: objects that no event names do not count.
      await Promise.allSettled([upload.release(), ports.objectStore.delete(key)]);
      throw error;
    }
  }

  private async store(
    { fileName, content }: SentFile,
    workspaceId: string,
    versionId: string,
    key: string,
  ): Promise<StoredFile> {
    if (fileName === '' || fileName.length > MAX_FILE_NAME || !isPrintable(fileName))
      throw invalid('file', `must be a file with a name of 1 to ${MAX_FILE_NAME} printable characters`, 'out_of_range');
    const room = this.application.storage.reservation(workspaceId, versionId, 'put');
    try {
      const maxBytes = this.settings.uploadMaxBytes;
      const object = await this.application.ports.objectStore.put(key, room.metered(content), { maxBytes });
      return { fileName, object };
    } finally {
      await room.release();
    }
  }

  private async settle(
    { workspaceId }: Caller,
    context: CommandContext,
    versionId: string,
    { fileName, object }: StoredFile,
    purpose: UploadedPurpose,
  ): Promise<DatasetVersion> {
    // A unique name: files of the same name are unrelated.
    const name = `file-${versionId}`;
    const stream = datasetStreamId(workspaceId, name);
    const datasetType = purpose === 'batch' ? 'records' : await this.typeOf(object);
    const begin = {
      ...({ type: 'initialize-version', workspaceId, name, datasetType, fileName } as const),
      ...{ format: null, columnMapping: {}, projectId: null },
      ...(purpose === 'batch' && { purpose }),
    };
    await this.application.execute(datasetDecider, stream, begin, context);
    const seal = { type: 'seal-version', workspaceId, versionId, source: object } as const;
    const sealing = { ...context, commandId: derivedId(context.commandId, 'seal') };
    const { state } = await this.application.execute(datasetDecider, stream, seal, sealing, DATASETS_VISIBLE_IN);
    return versionById(state, versionId, workspaceId);
  }

  /**
   * The type of rows by the first name in the file that determines it. Otherwise chats, as such files contain
   * elsewhere.
   */
  private async typeOf({ key }: PinnedObject): Promise<DatasetType> {
    const pieces: Uint8Array[] = [];
    for await (const piece of await this.application.ports.objectStore.get(key, { start: 0, end: LOOKED_AT }))
      pieces.push(piece);
    const [, name] = TELLING_COLUMN.exec(Buffer.concat(pieces).toString('utf8')) ?? [];
    if (name === undefined || CHAT_COLUMNS.includes(name)) return 'decoder';
    return name === 'label' || name === 'labels' ? 'classification' : 'ner';
  }
}

const CHAT_COLUMNS = ['messages', 'prompt', 'conversations', 'instruction', 'input', 'chosen'];
const ROW_COLUMNS = ['entities', 'spans', 'tokens', 'label', 'labels', 'json_structures', 'relations'];
const TELLING_COLUMN = new RegExp(`(?<!\\\\)"(${[...CHAT_COLUMNS, ...ROW_COLUMNS].join('|')})"\\s*:`);

function required(file: StoredFile | null, purpose: string | null): readonly [StoredFile, UploadedPurpose] {
  const known = UPLOADED_PURPOSES.find((each) => each === purpose);
  if (purpose === null)
    throw invalid('purpose', `is required and must be ${UPLOADED_PURPOSES.join(' or ')}`, 'missing');
  if (known === undefined) throw invalid('purpose', `must be ${UPLOADED_PURPOSES.join(' or ')}`, 'not_allowed');
  if (file === null) throw invalid('file', 'is required and must be a file', 'missing');
  return [file, known];
}

const invalid = (field: string, message: string, type: string): InvalidError =>
  new InvalidError({ path: ['body', field], message, type });
