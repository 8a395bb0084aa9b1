import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import {
  datasetDecider,
  newVersionId,
  SOURCE_FORMATS,
  versionById,
  type DatasetType,
  type DatasetVersion,
  type FileReading,
  type LabelNames,
  type OnError,
  type SourceFormat,
} from '#domain/dataset/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { Settings } from '#settings/index.js';
import type { DatasetVersionDocument } from '#projections/dataset-versions/projection.js';
import { datasetVersionDocuments } from '#projections/dataset-versions/queries.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { allChecks } from '../../all-checks.js';
import { patientWithYoung } from '../../inferences/patience.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { requireOwnName } from '../own-name.js';
import type { DescriptionOrder } from './describe.js';
import { requireProject } from '../../projects/require-project.js';

const ADDRESS_SECONDS = 3600;

/** How to read a file of rows. Null is as good as absent. */
export interface ReadingOrder {
  readonly dataset_type?: DatasetType | null;
  /** Of the file, or the layout of its rows. */
  readonly format?: string | null;
  /** Our field -> the file's column. */
  readonly column_mapping?: Readonly<Record<string, string>> | null;
  readonly label_names?: Readonly<Record<string, LabelNames>> | null;
  /** Default: a few rows may be left out. */
  readonly on_error?: OnError | null;
}

/** A new version, and how to read the file of its rows. */
export interface RowsOrder extends ReadingOrder {
  readonly dataset_name: string;
  readonly project_id?: string | null;
}

interface UploadOrder extends RowsOrder, DescriptionOrder {
  readonly filename?: string | null;
  /** Instead of `filename`. */
  readonly file_name?: string | null;
}

interface OfferedUpload {
  readonly version: DatasetVersion;
  readonly address: string;
  readonly expiresInSeconds: number;
}

export class RequestUpload extends CallerCommand<UploadOrder, OfferedUpload> {}

@CommandHandler(RequestUpload)
export class RequestUploadHandler implements ICommandHandler<RequestUpload> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  async execute({ caller, identity, input: body }: RequestUpload): Promise<OfferedUpload> {
    const stream = datasetStreamId(caller.workspaceId, body.dataset_name);
    const known = await this.application.recall(datasetDecider, stream, identity);
    // The command's own version is the last one of this state.
    const version = (known ?? (await this.begin(caller, identity, body, stream))).versions.at(-1)!;
    const options = { expiresInSeconds: ADDRESS_SECONDS, maxBytes: this.settings.uploadMaxBytes };
    const address = await this.application.ports.objectStore.presignPut(version.uploadKey, options);
    return { version, address, expiresInSeconds: ADDRESS_SECONDS };
  }

  private async begin(caller: Caller, identity: RequestIdentity, body: UploadOrder, stream: string) {
    const { workspaceId } = caller;
    const name = body.dataset_name;
    const { storage } = this.application;
    await allChecks(
      requireProject(this.application, workspaceId, body.project_id),
      requireOwnName(this.application, workspaceId, name, 'dataset_name'),
      storage.requireRoom(workspaceId),
    );
    const context = callerContext(caller, identity);
    const newId = (what: string) => derivedId(context.commandId, what);
    const upload = await storage.openUpload(workspaceId, newVersionId({ now: context.now, newId }));
    const command = {
      type: 'initialize-version',
      workspaceId,
      name,
      ...readingOf(AS_IT_IS, body),
      fileName: body.filename ?? body.file_name ?? null,
      projectId: body.project_id ?? null,
      described: { description: descriptionIn(body), by: context.actor },
    } as const;
    try {
      return (await this.application.execute(datasetDecider, stream, command, context, DATASETS_VISIBLE_IN)).state;
    } catch (error) {
      await upload.release();
      throw error;
    }
  }
}

const descriptionIn = ({ purpose, source, license, consent, guidelines }: DescriptionOrder): DescriptionOrder => ({
  ...{ purpose: purpose ?? null, source: source ?? null, license: license ?? null, consent: consent ?? null },
  guidelines: guidelines ?? null,
});

const AS_IT_IS: FileReading = { datasetType: 'ner', format: null, columnMapping: {} };

/** What a request says of the reading of a file. @param before what it does not mention */
export function readingOf(before: FileReading, order: ReadingOrder): FileReading {
  const { datasetType, format, layout, columnMapping, labelNames, onError } = before;
  const names = order.label_names ?? labelNames;
  const wrong = order.on_error ?? onError;
  return {
    datasetType: order.dataset_type ?? datasetType,
    ...(order.format ? formatAsked(order.format) : { format, ...(layout !== undefined && { layout }) }),
    columnMapping: order.column_mapping ?? columnMapping,
    ...(names && { labelNames: names }),
    ...(wrong && { onError: wrong }),
  };
}

/** Derives the format of a file from the layout of its rows: a request names either. */
export function formatAsked(named: string | null): { readonly format: SourceFormat | null; readonly layout?: string } {
  const format = SOURCE_FORMATS.find((each) => each === named) ?? null;
  return { format, ...(format === null && named !== null && { layout: named }) };
}

interface ProcessOrder extends ReadingOrder {
  readonly dataset_id: string;
}

export class ProcessUpload extends CallerCommand<ProcessOrder, DatasetVersion> {}

@CommandHandler(ProcessUpload)
export class ProcessUploadHandler implements ICommandHandler<ProcessUpload> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
    private readonly queues: WorkQueues,
  ) {}

  /**
   * Seals the upload; a process manager does the rest. A repeat returns the version's present state.
   * @throws ObjectTooLargeError for an upload beyond its announced size; the version waits for a smaller one
   * @throws QuotaExceededError; the version waits for room, or for a smaller file
   */
  async execute({ caller, identity, input }: ProcessUpload): Promise<DatasetVersion> {
    const { dataset_id: versionId, ...order } = input;
    const { workspaceId } = caller;
    const { name } = await patientWithYoung(this.application, {
      id: versionId,
      seenIn: datasetVersionDocuments.collection,
      read: () => this.find(workspaceId, versionId),
    });
    const stream = datasetStreamId(workspaceId, name);
    const known = await this.application.recall(datasetDecider, stream, identity);
    if (known) return versionById(known, versionId, workspaceId);
    const present = versionById(await this.application.load(datasetDecider, stream), versionId, workspaceId);
    if (present.status !== 'initialized') return present;
    return this.queues.enter('dataset-processing', caller, () =>
      this.process(present, order, callerContext(caller, identity)),
    );
  }

  private async process(
    present: DatasetVersion,
    order: ReadingOrder,
    context: CommandContext,
  ): Promise<DatasetVersion> {
    const { workspaceId, versionId, name } = present;
    const stream = datasetStreamId(workspaceId, name);
    const source = await this.seal(present);
    if (source === null) {
      const now = versionById(await this.application.load(datasetDecider, stream), versionId, workspaceId);
      if (now.status !== 'initialized') return now;
      throw new ConflictError(
        `dataset ${versionId} is initialized: nothing has been uploaded yet; PUT the file to its presigned_url first`,
      );
    }
    const { state } = await this.application.execute(
      datasetDecider,
      stream,
      {
        type: 'seal-version',
        workspaceId,
        versionId,
        source,
        ...(isSaid(order) && { reading: readingOf(present, order) }),
      },
      context,
      DATASETS_VISIBLE_IN,
    );
    const taken = versionById(state, versionId, workspaceId);
    // Best effort: objects that no event names do not count. Of two concurrent seals, one was taken.
    const { objectStore } = this.application.ports;
    const spent = isTaken(taken, source) ? [present.uploadKey] : [present.uploadKey, source.key];
    await Promise.allSettled(spent.map((key) => objectStore.delete(key)));
    return taken;
  }

  private async find(workspaceId: string, versionId: string): Promise<DatasetVersionDocument> {
    const document = await datasetVersionDocuments.get(this.application.ports.readStore, versionId);
    if (document?.workspaceId !== workspaceId) throw new NotFoundError('dataset', versionId);
    return document;
  }

  /** Returns null if the object is missing: never uploaded, or sealed and removed by a concurrent repeat. */
  private async seal({ workspaceId, versionId, uploadKey }: DatasetVersion) {
    // A unique key, so that a concurrent request cannot replace the object that was hashed here.
    const key = `datasets/${workspaceId}/${versionId}/source-${randomUUID()}`;
    const { uploadMaxBytes: maxBytes } = this.settings;
    const { ports, storage } = this.application;
    const { objectStore } = ports;
    const uploaded = await objectStore.stat(uploadKey);
    if (uploaded !== null) {
      // Checked but not reserved: a reserved row would be missing from the room for this upload's conversion.
      await storage.requireRoom(workspaceId, { rows: 1 });
      // If uploads go to another server, no room has been reserved for the file yet.
      await storage
        .reservation(workspaceId, versionId, 'upload')
        .hold({ bytes: Math.min(uploaded.size, maxBytes), rows: 0 });
    }
    try {
      return await objectStore.seal(uploadKey, key, { maxBytes });
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return null;
      throw error;
    }
  }
}

const isSaid = (order: ReadingOrder): boolean => Object.values(order).some((said) => (said ?? null) !== null);

const isTaken = (version: DatasetVersion, source: { readonly key: string }): boolean =>
  !('source' in version) || version.source?.key === source.key;
