import type { Json, JsonObject } from '#domain/json.js';
import type { GivenSpan, RowContext } from '../layout.js';

/** A relation between two spans, by their ids. */
export interface GivenRelation {
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  readonly name: Json | undefined;
}

/** The text of each span by its id. @param entities of `spans`, in their order; null: left out */
export function textsOf(
  spans: readonly GivenSpan[],
  entities: readonly (Json | null)[],
  ids: ReadonlyMap<Json, GivenSpan>,
): ReadonlyMap<Json, string> {
  const texts = new Map(
    spans.map((span, index) => [span, (entities[index] as { text?: string } | undefined | null)?.text]),
  );
  return new Map([...ids].flatMap(([id, span]) => (texts.get(span) === undefined ? [] : [[id, texts.get(span)!]])));
}

/** Relations as our rows have them: `{name: {head, tail}}`. */
export function relationsOf(
  given: readonly GivenRelation[],
  texts: ReadonlyMap<Json, string>,
  context: RowContext,
): readonly JsonObject[] {
  return given.flatMap(({ from, to, name }) => {
    const [head, tail] = [from, to].map((id) => (id === undefined ? undefined : texts.get(id)));
    if (typeof name === 'string' && name.trim() !== '' && head !== undefined && tail !== undefined)
      return [{ [name]: { head, tail } }];
    context.tell(
      typeof name === 'string' ? 'relations without both ends left out' : 'relations without a name left out',
    );
    return [];
  });
}
