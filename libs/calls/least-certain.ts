import type { LeastCertain } from '#domain/inference/index.js';
import type { InferResult, InferSchema } from '#gpu-runner/contract/schema.js';

/**
 * The answer with the lowest confidence among those of all texts; null if nothing was found. Of a classification with
 * one label, only the best class counts.
 * @param schema the one that ran
 */
export function leastCertainOf(results: readonly InferResult[], schema: InferSchema): LeastCertain | null {
  const least = { confidence: Infinity, label: '' };
  const see = (label: string, confidence: number): void => {
    if (confidence >= least.confidence) return;
    least.confidence = confidence;
    least.label = label;
  };
  for (const { entities, classifications, structures, relations } of results) {
    for (const label in entities) for (const { confidence } of entities[label]!) see(label, confidence);
    for (const { task, multiLabel } of schema.classifications ?? []) {
      const hits = classifications?.[task] ?? [];
      for (const { label, confidence } of multiLabel ? hits : hits.slice(0, 1)) see(label, confidence);
    }
    for (const name in structures)
      for (const fields of structures[name]!)
        for (const field in fields) for (const { confidence } of fields[field]!) see(`${name}.${field}`, confidence);
    for (const name in relations)
      for (const { head, tail } of relations[name]!) see(name, Math.min(head.confidence, tail.confidence));
  }
  return least.confidence === Infinity
    ? null
    : { confidence: Math.round(least.confidence * 1e6) / 1e6, label: least.label };
}
