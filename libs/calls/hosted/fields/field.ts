import { PROVIDER_STYLE_NAMES, type ProviderStyle } from '../provider-styles.js';

/** The places that a request may go to: a hosted provider of a style, or an engine here. */
export type FieldReceiver = ProviderStyle | 'decoder' | 'encoder' | 'embedder';

/** The backends of the dialects that every kind of model but an embedder answers. */
export const GENERATORS: readonly FieldReceiver[] = [...PROVIDER_STYLE_NAMES, 'decoder', 'encoder'];

/**
 * The treatment of a field. `sent`: the model or its provider gets it unchanged. `here`: it is for this installation.
 * `unused`: it has no effect there. `dropped`: it is a hint, and the caller is told. `refused`: 422, naming the field.
 * `-> PATH`: the model or its provider gets it as another field.
 */
export type Fate = 'sent' | 'here' | 'unused' | 'dropped' | 'refused' | `-> ${string}`;

/** The fates of a field, in the order of the dialect's backends. */
type Fates = readonly Fate[];

/**
 * Fields by their paths. `messages[user]` are the items whose `role` or `type` is `user`, `[*]` all others, `.*` every
 * other field. An entry of a field holds for all fields below it without an entry.
 */
export type FieldTable = Readonly<Record<string, Fates>>;

export interface DialectFields {
  readonly name: string;
  readonly path: string;
  readonly backends: readonly FieldReceiver[];
  readonly fields: FieldTable;
  /** Paths that no SDK of the dialect's vendor has. */
  readonly beyondSdk: readonly string[];
}

/** Fields that only providers of the dialect's own style have, and their fate at the other `GENERATORS`. */
export const onlyThere = (fields: Readonly<Record<string, Fate>>, own: ProviderStyle): FieldTable =>
  Object.fromEntries(
    Object.entries(fields).map(([path, fate]) => [path, GENERATORS.map((each) => (each === own ? 'sent' : fate))]),
  );

/** Fields with the same fate at all `GENERATORS`. */
export const everywhere = (fields: Readonly<Record<string, Fate>>): FieldTable =>
  Object.fromEntries(Object.entries(fields).map(([path, fate]) => [path, GENERATORS.map(() => fate)]));
