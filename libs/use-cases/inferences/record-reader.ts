import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { Application } from '#application/application.js';
import type { JsonObject } from '#domain/json.js';
import { Catalog } from '#models/catalog/catalog.js';
import type { InObject } from '#projections/inferences/content.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { CallContents } from '../calls/call-contents.js';
import {
  humanFields,
  inferenceRecord,
  listedRecord,
  recordOfCall,
  verdictRecord,
  withoutContent,
  type CallRecord,
  type ListedRecord,
} from './record.js';
import { contentText, isInObject } from '../calls/whole-content.js';

/** A record whose content is streamed from the object store. */
export interface StreamedRecord {
  /** JSON. */
  readonly text: Readable;
  /** Changes whenever the text does. */
  readonly state: string;
}

/** A record for who may not see what calls say. */
export type WithheldRecord = ListedRecord & { readonly content_withheld: boolean };

/** Completes documents with data stored elsewhere: large content in the log or the object store, names of models. */
@Injectable()
export class RecordReader {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly contents: CallContents,
  ) {}

  /** Records for lists: large texts are cut. */
  async list(documents: readonly InferenceDocument[]): Promise<ListedRecord[]> {
    const names = await this.modelNames(documents);
    return documents.map((document) => listedRecord(document, names.get(modelOf(document))!));
  }

  async withheld(documents: readonly InferenceDocument[]): Promise<WithheldRecord[]> {
    const records = await this.list(documents.map(withoutContent));
    return records.map((record) => ({ ...record, content_withheld: true }));
  }

  /** A whole record in memory. @throws UnavailableError when too many large ones are read at once */
  async whole(document: InferenceDocument): Promise<CallRecord> {
    return this.contents.within(document, async (content) =>
      inferenceRecord(document, content, await this.contents.feedback(document), await this.modelName(document)),
    );
  }

  /** Who gave the verdict, and the latest verdict of each reviewer, the newest last. */
  async reviews(document: InferenceDocument): Promise<JsonObject> {
    const verdicts = await this.contents.verdicts(document);
    return { human_feedback_by: document.feedback?.reviewer ?? null, verdicts: verdicts.map(verdictRecord) };
  }

  /** A whole record, as a stream if its content is an object: however large it is, only a few pieces are in memory. */
  async open(document: InferenceDocument): Promise<CallRecord | StreamedRecord> {
    const { whole } = document;
    return (whole && isInObject(whole) && (await this.streamed(document, whole))) || this.whole(document);
  }

  private async streamed(document: InferenceDocument, whole: InObject): Promise<StreamedRecord | null> {
    const content = await contentText(this.application.ports, whole);
    if (!content) return null;
    const feedback = await this.contents.feedback(document);
    const others = {
      ...recordOfCall(document, await this.modelName(document)),
      ...(feedback && humanFields(feedback)),
    };
    const head = `${JSON.stringify(others).slice(0, -1)},"error_message":${content.errorMessage},`;
    const text = async function* () {
      yield Buffer.from(head);
      yield* await content.inputAndOutput();
      yield Buffer.from('}');
    };
    return { text: Readable.from(text(), { objectMode: false }), state: `${head}${whole.sha256}` };
  }

  private async modelNames(documents: readonly InferenceDocument[]): Promise<ReadonlyMap<string, string>> {
    const byModel = new Map(documents.map((document) => [modelOf(document), document]));
    const named = [...byModel].map(async ([model, document]) => [model, await this.modelName(document)] as const);
    return new Map(await Promise.all(named));
  }

  private async modelName({ modelId, modelName, imported }: InferenceDocument): Promise<string> {
    if (modelName !== undefined) return modelName;
    // An id in a line is unrelated to the models here, above all to other workspaces' models.
    if (imported) return imported.modelLabel;
    const entry = this.catalog.resolve(modelId);
    if (entry) return entry.label;
    const job = await trainingJobDocuments.get(this.application.ports.readStore, modelId);
    return job?.modelName ?? modelId;
  }
}

/** Distinguishes the models of documents whose names may differ. */
const modelOf = ({ modelId, imported }: InferenceDocument): string => JSON.stringify([modelId, imported?.modelLabel]);
