/** What the playground asks for: answers at least this confident. The slider then filters them. */
export const ASKED_THRESHOLD = 0.1;

export interface Asked {
  readonly model: string;
  readonly labels: string;
  readonly kind: 'entities' | 'classes';
  readonly store: boolean;
}

export const labelsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
  ),
];

/** The body of `POST /inference`. Without labels a trained model answers with its own. */
export function requestOf({ model, labels: written, kind, store }: Asked, text: string, threshold: number) {
  const labels = [...labelsIn(written)];
  const schema =
    kind === 'entities'
      ? labels
      : { classifications: [{ task: 'class', labels, top_k: Math.min(labels.length, 1_000) }] };
  return { model_id: model, text, threshold, ...(labels.length > 0 && { schema }), ...(!store && { store: false }) };
}
