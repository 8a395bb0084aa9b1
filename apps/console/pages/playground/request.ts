import { schemaOf, type Scheme } from '../../components/scheme/scheme.js';

/** The threshold of the playground's requests once the slider was moved, which filters their answers. */
export const ASKED_THRESHOLD = 0.1;

export interface Asked {
  readonly model: string;
  readonly scheme: Scheme;
  readonly store: boolean;
}

/**
 * The body of `POST /inference`. Without a schema a trained model answers with its own labels.
 * @param threshold null: the model's own
 */
export function requestOf({ model, scheme, store }: Asked, text: string, threshold: number | null) {
  const schema = schemaOf(scheme);
  return {
    model_id: model,
    text,
    ...(threshold !== null && { threshold }),
    ...(schema && { schema }),
    ...(!store && { store: false }),
  };
}
