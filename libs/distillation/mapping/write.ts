import { isRecord, type Json, type JsonObject } from '#domain/json.js';
import { NumberText, parseSourced, type SourcedJson } from './json-text.js';
import { writeLabels } from './labels.js';
import {
  freeName,
  yearOf,
  type AnswerMapping,
  type FieldNode,
  type JsonMapping,
  type SpanNode,
  type TextAnswer,
} from './mapping.js';
import { writeSpan } from './spans.js';
import { writeJson } from './style.js';
import { absentValue } from './values.js';

/** What a model predicts, in the form of a row: `label` or `labels`, `entities`, `json_structures`; a choice may be its value alone. */
export type Prediction = JsonObject;

/**
 * The answer of a prediction, byte for byte as the model that was distilled would write it: key order, separators, indent, fence, escapes,
 * form of numbers.
 * @param at time of the call, ISO 8601
 */
export function writeAnswer(mapping: AnswerMapping, prediction: Prediction, at: string): TextAnswer['answer'] {
  if (mapping.kind === 'labels') {
    const labels = prediction.labels ?? prediction.label ?? [];
    return { tool: null, text: writeLabels(mapping, [labels].flat() as readonly string[]) };
  }
  const value = new AnswerWriter(mapping, prediction, yearOf(at)).write();
  return { tool: mapping.tool, text: `${mapping.before}${writeJson(value, mapping.style)}${mapping.after}` };
}

class AnswerWriter {
  private readonly structures: readonly JsonObject[];

  constructor(
    private readonly mapping: JsonMapping,
    private readonly prediction: Prediction,
    private readonly year: number,
  ) {
    this.structures = (prediction.json_structures ?? []) as readonly JsonObject[];
  }

  write(): SourcedJson {
    const [fields] = this.recordsOf(this.mapping.structure);
    return this.valueOf(this.mapping.root, fields ?? {}, false) ?? null;
  }

  private recordsOf(name: string): readonly JsonObject[] {
    return this.structures.flatMap((each) => (isRecord(each[name]) ? [each[name]] : []));
  }

  private valueOf(node: FieldNode, fields: JsonObject, isInRecord: boolean): SourcedJson | undefined {
    switch (node.kind) {
      case 'constant':
        return parseSourced(node.source);
      case 'unmapped':
        return absentValue(node.absent ?? 'null');
      case 'object':
        return this.object(node, fields, isInRecord);
      case 'records': {
        const records = this.recordsOf(node.structure).map((own) => this.valueOf(node.item, own, true)!);
        return records.length > 0 ? records : absentValue(node.absent);
      }
      case 'entities':
        return this.entities(node);
      case 'span':
        return this.span(node, fields[node.field]);
      case 'class':
        return this.classes(
          node,
          isInRecord ? fields[node.field] : ((this.prediction.labels ?? {}) as JsonObject)[freeName(node.field)],
        );
    }
  }

  private object(
    node: FieldNode & { kind: 'object' },
    fields: JsonObject,
    isInRecord: boolean,
  ): SourcedJson | undefined {
    const entries = node.fields.flatMap(({ key, node: inner }): (readonly [string, SourcedJson])[] => {
      const value = this.valueOf(inner, fields, isInRecord);
      return value === undefined ? [] : [[key, value]];
    });
    // An object of which nothing was found is written as missing ones were.
    const isMissing = node.isOptional && node.fields.every(({ node: inner }) => isEmptyIn(inner, fields));
    return isMissing ? absentValue(node.absent) : Object.fromEntries(entries);
  }

  private entities(node: FieldNode & { kind: 'entities' }): SourcedJson | undefined {
    const entities = (this.prediction.entities ?? []) as readonly (readonly [string, string])[];
    if (entities.length === 0 || node.item.kind !== 'object') return absentValue(node.absent);
    const { fields } = node.item;
    return entities.map(([span, label]) =>
      Object.fromEntries(
        fields.flatMap(({ key, node: inner }): (readonly [string, SourcedJson])[] => {
          if (inner.kind === 'span') return [[key, this.span(inner, span) ?? null]];
          if (inner.kind === 'class') return [[key, this.classes(inner, label) ?? null]];
          return inner.kind === 'constant' ? [[key, parseSourced(inner.source)]] : [];
        }),
      ),
    );
  }

  private span(node: SpanNode, found: Json | undefined): SourcedJson | undefined {
    const spans = [found ?? []].flat() as readonly string[];
    const values = spans.map((span) => {
      const value = node.exceptions[span.toLowerCase()] ?? writeSpan(node.writer, span, this.year) ?? span;
      return node.isNumber && Number.isFinite(Number(value)) && value.trim() !== '' ? new NumberText(value) : value;
    });
    if (values.length === 0) return absentValue(node.absent);
    return node.isList ? values : values[0];
  }

  private classes(node: FieldNode & { kind: 'class' }, found: Json | undefined): SourcedJson | undefined {
    const labels = ([found ?? []].flat() as readonly Json[]).map((each) => (isRecord(each) ? each.value : each));
    const values = labels.flatMap((label) => {
      const source = node.values[label as string];
      return source === undefined ? [] : [parseSourced(source)];
    });
    if (values.length === 0) return absentValue(node.absent);
    return node.isList ? values : values[0];
  }
}

const isEmptyIn = (node: FieldNode, fields: JsonObject): boolean => {
  if (node.kind === 'object') return node.fields.every((field) => isEmptyIn(field.node, fields));
  return node.kind === 'span' ? fields[node.field] === undefined : node.kind === 'constant' || node.kind === 'unmapped';
};
