import type { DatasetType, Head } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { ExampleList } from './example-list.js';
import { instancesOf, repeatedAt, repeatedEntities, repeatedRecords } from '../formats/rows/repeated.js';
import { LabelCounts } from './label-counts.js';
import { Lengths } from './lengths.js';
import { MAX_TOKENISED_CHARACTERS, type RepeatedAnnotation, type VersionReport } from './report.js';
import { hasLabels, labelsOf, textOf } from './row-labels.js';
import { SpanCheck } from './span-check.js';
import { TextComparison } from './text-comparison.js';

/** Makes the report on a version from its stored rows, one after another; the rows of a held-out version come first. */
export class ReportTally {
  private rows = 0;
  private rowsWithoutText = 0;
  private heldOutRows = 0;
  private tokenised = 0;
  private readonly unlabelled = new ExampleList<number>();
  private readonly labels = new LabelCounts();
  private readonly texts = new TextComparison();
  private readonly spans = new SpanCheck();
  private readonly repeated = new ExampleList<RepeatedAnnotation>();
  private readonly characters = new Lengths();
  private readonly tokens = new Lengths();

  /** @param datasetType of the version: determines the meaning of the rows' keys */
  constructor(private readonly datasetType: DatasetType) {}

  addHeldOut(row: JsonObject, datasetType: DatasetType): void {
    this.heldOutRows += 1;
    this.texts.addHeldOut(this.heldOutRows, textOf(row, datasetType));
  }

  add(row: JsonObject): void {
    this.rows += 1;
    const text = textOf(row, this.datasetType);
    const labels = labelsOf(row, this.datasetType);
    for (const each of labels) this.labels.add(each);
    if (labels.every((each) => hasLabels(each.head) && each.labels.length === 0)) this.unlabelled.add(this.rows);
    this.texts.add(this.rows, text, labels);
    if (text === null) this.rowsWithoutText += 1;
    else this.measure(text, row);
  }

  /** @param hasHeldOut whether rows of a held-out version were added, be they none */
  report(hasHeldOut: boolean): VersionReport {
    return {
      rows: this.rows,
      rowsWithoutText: this.rowsWithoutText,
      comparedRows: this.texts.comparedRows,
      heads: this.labels.reports(),
      unlabelled: this.unlabelled.list(),
      exactDuplicates: this.texts.exactDuplicates.list(),
      normalisedDuplicates: this.texts.normalisedDuplicates.list(),
      conflicts: this.texts.conflicts.list(),
      rareLabels: this.labels.rare(),
      similarLabels: this.labels.similar(),
      hasOneClass: this.labels.hasOneClass(),
      characters: this.characters.quantiles(),
      tokens: this.tokens.quantiles(),
      unalignedSpans: this.spans.report(),
      repeatedAnnotations: this.repeated.list(),
      heldOut: hasHeldOut ? { rows: this.heldOutRows, ...this.texts.leaks() } : null,
    };
  }

  private measure(text: string, row: JsonObject): void {
    const { entities } = row;
    this.characters.add(codePointsOf(text));
    const isTokenised = this.tokenised + text.length <= MAX_TOKENISED_CHARACTERS;
    if (isTokenised) this.tokenised += text.length;
    const isChat = this.datasetType === 'decoder';
    const tokens = this.spans.add(this.rows, text, isChat ? undefined : entities, isTokenised);
    if (tokens !== null) this.tokens.add(tokens);
    if (!isChat) this.findRepeated(text, row);
  }

  /** Finds entries that the row lists twice. Processing refuses a class label that is listed twice. */
  private findRepeated(text: string, { entities, json_structures: records, relations }: JsonObject): void {
    const add = (head: Head, repeated: ReadonlySet<number>, labelAt: (index: number) => string) => {
      for (const index of repeated) this.repeated.add({ row: this.rows, head, label: labelAt(index) });
    };
    const addInstances = (head: Head, instances: readonly Json[], repeated: ReadonlySet<number>) => {
      if (repeated.size === 0) return;
      const named = instancesOf(instances);
      add(head, repeated, (index) => named[index]![0]);
    };
    if (Array.isArray(entities)) {
      const list = entities as readonly Json[];
      add('entities', repeatedEntities(list), (index) => (list[index] as { readonly label: string }).label);
    }
    if (Array.isArray(records))
      addInstances('structures', records as readonly Json[], repeatedRecords(text, records as readonly Json[]));
    if (Array.isArray(relations))
      addInstances('relations', relations as readonly Json[], repeatedAt(instancesOf(relations as readonly Json[])));
  }
}

function codePointsOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) pairs += 1;
  return text.length - pairs;
}
