import type { Application } from '#application/application.js';
import { datasetStreamId, loadVersion } from '#application/datasets.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { ExplainRequest, InferWarning, NearRow, RowSource } from '#gpu-runner/contract/schema.js';
import { ObjectNotFoundError, ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import type { Model } from './models.js';

/** Rows of a call that are read at once. */
const MAX_AT_ONCE = 16;
/** Code points of a row's text that are shown. */
export const EXCERPT_CHARACTERS = 500;

/** Entries of a row's annotation that are shown. */
export const MAX_SHOWN = 20;
const ANNOTATIONS = ['entities', 'json_structures', 'relations'] as const;

/** A training row that explains an answer. */
export interface ExplainingRow {
  /** The row's text, cut after `EXCERPT_CHARACTERS`. */
  readonly text: string;
  readonly isExcerpt: boolean;
  readonly labels: readonly string[];
  /** Labels of the row besides classes, as the dataset has them; of each the first `MAX_SHOWN`. */
  readonly annotations: Annotations;
  /** Cosine of the vectors of the two texts, at most 1. */
  readonly similarity: number;
  readonly dataset: DatasetPin;
  /** From 0. */
  readonly row: number;
}

/** The explanation of a call's answers. */
export interface Explanation {
  /** For each text, nearest first; null if the model explains nothing. */
  readonly rows: readonly (readonly ExplainingRow[])[] | null;
  readonly warnings: readonly InferWarning[];
}

/** An absent key: the row is not labelled for that head. */
export type Annotations = Readonly<Partial<Record<(typeof ANNOTATIONS)[number], readonly Json[]>>>;

type RowText = Pick<ExplainingRow, 'text' | 'isExcerpt' | 'labels' | 'annotations'>;

/**
 * The training rows by which trained models explain answers. A model keeps references to its rows, not their texts:
 * those are read from the dataset versions of the job when an explanation is requested, while the versions exist.
 */
export class TrainingRows {
  constructor(private readonly application: Application) {}

  /** @param workspaceId of the model */
  async begin({ trainedOn }: Model, workspaceId: string): Promise<ExplanationInProgress> {
    const look = () => Promise.all(trainedOn.map((pin) => this.exists(pin, workspaceId)));
    return new ExplanationInProgress(this.application, trainedOn, look, await look());
  }

  /** From the log itself: a version stops existing as soon as its deletion is acknowledged. */
  private async exists({ name, versionId }: DatasetPin, workspaceId: string): Promise<boolean> {
    const version = await loadVersion(this.application, datasetStreamId(workspaceId, name), versionId);
    return version?.status === 'ready' && version.workspaceId === workspaceId;
  }
}

class ExplanationInProgress {
  /** The question for the runner. */
  readonly request: ExplainRequest;

  constructor(
    private readonly application: Application,
    private readonly pins: readonly DatasetPin[],
    private readonly look: () => Promise<readonly boolean[]>,
    private exist: readonly boolean[],
  ) {
    this.request = { datasets: pins.flatMap((_, index) => (exist[index] ? [index] : [])) };
  }

  /**
   * @param nearest of each text; undefined for one that was not explained
   * @param warnings of the answer
   */
  async finish(
    nearest: readonly (readonly NearRow[] | undefined)[],
    warnings: readonly InferWarning[],
  ): Promise<Explanation> {
    if (nearest.some((rows) => rows === undefined)) {
      const isSaid = warnings.some(({ code }) => code === 'explanation_unavailable');
      return { rows: null, warnings: isSaid ? [] : [unavailable('The engine of this model explains no answers.')] };
    }
    const texts = await this.read((nearest as readonly (readonly NearRow[])[]).flat());
    // A version may have been deleted while the runner answered, or its rows were read.
    this.exist = await this.look();
    const rows = nearest.map((near = []) => near.flatMap((row) => this.shown(row, texts)));
    const isWhole = nearest.flat().every((row) => !row || !this.exist[row.dataset] || texts.get(keyOf(row)));
    return {
      rows,
      warnings: [
        ...this.deleted().map(({ name, versionNumber }) =>
          unavailable(
            `Version ${versionNumber} of dataset ${JSON.stringify(name)} no longer exists: none of its rows is shown.`,
          ),
        ),
        ...(isWhole ? [] : [unavailable('Some of the nearest rows could not be read from the object store.')]),
      ],
    };
  }

  private deleted(): readonly DatasetPin[] {
    return this.pins.filter((_, index) => !this.exist[index]);
  }

  private shown(near: NearRow, texts: ReadonlyMap<string, RowText | null>): readonly ExplainingRow[] {
    const text = texts.get(keyOf(near));
    if (!text || !this.exist[near.dataset]) return [];
    return [{ ...text, similarity: near.similarity, dataset: this.pins[near.dataset]!, row: near.row }];
  }

  /** @returns null for rows that cannot be read */
  private async read(sources: readonly RowSource[]): Promise<ReadonlyMap<string, RowText | null>> {
    const distinct = [...new Map(sources.map((source) => [keyOf(source), source]))];
    const texts = new Map<string, RowText | null>();
    for (let at = 0; at < distinct.length; at += MAX_AT_ONCE)
      await Promise.all(
        distinct.slice(at, at + MAX_AT_ONCE).map(async ([key, source]) => {
          texts.set(key, await this.readRow(source));
        }),
      );
    return texts;
  }

  private async readRow({ dataset, start, bytes }: RowSource): Promise<RowText | null> {
    const { key } = this.pins[dataset]!.object;
    try {
      const chunks = await Array.fromAsync(
        await this.application.ports.objectStore.get(key, { start, end: start + bytes }),
      );
      return rowText(JSON.parse(Buffer.concat(chunks).toString()) as Json);
    } catch (error) {
      const isExpected = [ObjectNotFoundError, ObjectStoreUnavailableError, SyntaxError].some(
        (kind) => error instanceof kind,
      );
      if (isExpected) return null;
      throw error;
    }
  }
}

const keyOf = ({ dataset, row }: RowSource): string => `${dataset}/${row}`;

/** @returns null for a row without a text */
function rowText(row: Json): RowText | null {
  const { text, label, labels, ...others } = (row ?? {}) as JsonObject;
  if (typeof text !== 'string') return null;
  const characters = [...text];
  return {
    text: characters.slice(0, EXCERPT_CHARACTERS).join(''),
    isExcerpt: characters.length > EXCERPT_CHARACTERS,
    labels: classesOf(label, labels),
    annotations: Object.fromEntries(
      ANNOTATIONS.flatMap((name) => {
        const value = others[name];
        return Array.isArray(value) ? [[name, value.slice(0, MAX_SHOWN)]] : [];
      }),
    ),
  };
}

/** Labels of several tasks with the name of their task: `tone: glad`. */
function classesOf(label: Json | undefined, labels: Json | undefined): readonly string[] {
  if (typeof label === 'string') return [label];
  if (labels === undefined || labels === null || Array.isArray(labels)) return (labels ?? []) as readonly string[];
  return Object.entries(labels).flatMap(([task, own]) => [own].flat().map((each) => `${task}: ${String(each)}`));
}

const unavailable = (message: string): InferWarning => ({ code: 'explanation_unavailable', message });
