import type { Json, JsonObject } from '#domain/json.js';
import {
  isSourcedList,
  isSourcedObject,
  jsonIn,
  parseSourced,
  type SourcedJson,
  type SourcedObject,
} from './json-text.js';
import { readLabels } from './labels.js';
import { freeName, type AnswerMapping, type FieldNode, type JsonMapping, type TextAnswer } from './mapping.js';
import { locate } from './spans.js';
import { isAbsent, isScalar, sourceOf, textOfScalar } from './values.js';

type Fields = Record<string, Json>;

/** What a row is made of. */
interface Row {
  readonly labels: Record<string, Json>;
  readonly entities: Json[];
  readonly structures: JsonObject[];
}

/** An answer that the mapping cannot say. */
class NotMapped extends Error {}

/**
 * The training row of an answer, as datasets have rows.
 * @returns null if the answer has a value that the mapping does not know: a label, a stretch that is not in the text, another form
 */
export function toRow(mapping: AnswerMapping, { text, answer }: TextAnswer): JsonObject | null {
  if (mapping.kind === 'labels') {
    const labels = answer.tool === null ? readLabels(mapping, answer.text) : null;
    if (labels === null) return null;
    return mapping.separator === null ? { text, label: labels[0]! } : { text, labels };
  }
  const found = jsonIn(answer.text);
  if (found === null || (answer.tool ?? null) !== mapping.tool) return null;
  const row: Row = { labels: {}, entities: [], structures: [] };
  const fields: Fields = {};
  try {
    new RowReader(text, row).read(mapping.root, parseSourced(found.source), fields, false);
  } catch (error) {
    if (error instanceof NotMapped) return null;
    throw error;
  }
  if (Object.keys(fields).length > 0) row.structures.unshift({ [mapping.structure]: fields });
  const has = headsOf(mapping);
  return {
    text,
    ...(has.classes && { labels: row.labels }),
    ...(has.entities && { entities: row.entities }),
    ...(has.structures && { json_structures: row.structures }),
  };
}

/** The heads that rows of a mapping have keys for. */
export function headsOf({ root }: JsonMapping) {
  const kinds = (node: FieldNode, isInRecord: boolean): readonly string[] => {
    if (node.kind === 'object') return node.fields.flatMap((field) => kinds(field.node, isInRecord));
    if (node.kind === 'records') return ['span', ...kinds(node.item, true)];
    return node.kind === 'class' && isInRecord ? ['span'] : [node.kind];
  };
  const all = new Set(kinds(root, false));
  return { classes: all.has('class'), entities: all.has('entities'), structures: all.has('span') };
}

class RowReader {
  constructor(
    private readonly text: string,
    private readonly row: Row,
  ) {}

  read(node: FieldNode, value: SourcedJson | undefined, fields: Fields, isInRecord: boolean): void {
    switch (node.kind) {
      case 'constant':
      case 'unmapped':
        return;
      case 'object':
        if (!isAbsent(value) && !isSourcedObject(value)) throw new NotMapped();
        return node.fields.forEach(({ key, node: inner }) =>
          this.read(inner, ((value ?? {}) as SourcedObject)[key], fields, isInRecord),
        );
      case 'records':
        return this.items(value).forEach((item) => {
          const own: Fields = {};
          this.read(node.item, item, own, true);
          this.row.structures.push({ [node.structure]: own });
        });
      case 'entities':
        return this.items(value).forEach((item) => this.entity(node, item));
      case 'span': {
        if (isAbsent(value)) return;
        const spans = (node.isList ? this.items(value) : [value!]).map((each) => this.spanOf(each));
        fields[node.field] = node.isList ? spans : spans[0]!;
        return;
      }
      case 'class':
        return this.classes(node, value, fields, isInRecord);
    }
  }

  private classes(
    node: FieldNode & { kind: 'class' },
    value: SourcedJson | undefined,
    fields: Fields,
    isInRecord: boolean,
  ): void {
    if (value === undefined || value === '' || (value === null && !Object.values(node.values).includes('null'))) {
      if (node.isList && !isInRecord) this.row.labels[freeName(node.field)] = [];
      return;
    }
    const labels = (node.isList ? this.items(value) : [value]).map((each) => labelIn(node.values, each));
    const choices = Object.keys(node.values);
    if (isInRecord) fields[node.field] = node.isList ? labels : { value: labels[0]!, choices };
    else this.row.labels[freeName(node.field)] = node.isList ? labels : labels[0]!;
  }

  private entity(node: FieldNode & { kind: 'entities' }, item: SourcedJson): void {
    if (!isSourcedObject(item) || node.item.kind !== 'object') throw new NotMapped();
    const kind = node.item.fields.find(({ key }) => key === node.label)!.node as FieldNode & { kind: 'class' };
    this.row.entities.push([this.spanOf(item[node.span] ?? null), labelIn(kind.values, item[node.label] ?? null)]);
  }

  private items(value: SourcedJson | undefined): readonly SourcedJson[] {
    if (isAbsent(value)) return [];
    if (!isSourcedList(value)) throw new NotMapped();
    return value;
  }

  private spanOf(value: SourcedJson): string {
    const span = isScalar(value) ? locate(textOfScalar(value), this.text) : null;
    if (span === null) throw new NotMapped();
    return span;
  }
}

function labelIn(values: Readonly<Record<string, string>>, value: SourcedJson): string {
  const label = isScalar(value) ? Object.keys(values).find((each) => values[each] === sourceOf(value)) : undefined;
  if (label === undefined) throw new NotMapped();
  return label;
}
