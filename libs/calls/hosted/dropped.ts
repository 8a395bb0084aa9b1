import { DIALECTS } from './fields/index.js';
import { PROVIDER_STYLES } from './provider-styles.js';
import { notCarried, type GenerationRequest, type Style } from './port.js';

const MAX_NAMES = 100;
const MAX_NAME_CHARACTERS = 100;

/**
 * The fields of one request that its provider does not get because its style has no equivalent. They are hints: they
 * affect how an answer is produced, not its content. The caller is told their names.
 */
export class Dropped {
  /** At most `MAX_NAMES`. Characters that separate names in a header, or that it cannot hold, are percent-encoded. */
  readonly names: string[] = [];

  /** @param isStrict whether the provider's entry has `strict`: a hint that cannot be sent is then refused */
  constructor(private readonly isStrict: boolean) {}

  /**
   * @param name of the field, as the caller's dialect has it
   * @throws HostedModelError of kind `rejected`, naming the field, for a strict provider
   */
  drop(name: string): void {
    if (this.isStrict) throw notCarried(name);
    this.leftOut(name);
  }

  /** What of the answer could not be understood. */
  leftOut(name: string): void {
    const named = printable(name);
    if (this.names.length < MAX_NAMES && !this.names.includes(named)) this.names.push(named);
  }

  /** Drops the hints among fields, which are given by their paths in the caller's body. */
  dropHints(paths: readonly string[]): void {
    for (const path of paths) if (isHint(path)) this.drop(path);
  }

  /**
   * Drops the hints among the fields that only another style has.
   * @throws HostedModelError of kind `rejected`, naming those that are no hints
   */
  dropForeign({ verbatim }: GenerationRequest, style: Style): void {
    if (!verbatim || verbatim.style === style || !verbatim.only) return;
    const asked = verbatim.only.filter((path) => !isHint(path));
    if (asked.length > 0) throw notCarried(asked.join(', '));
    this.dropHints(verbatim.only);
  }
}

/** A name in a header. Keys of `metadata` and types of tools are the caller's own texts. */
export function printable(name: string): string {
  const cut = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}...` : name;
  return cut.toWellFormed().replaceAll(/[^!-~]+|[%,]+/g, encodeURIComponent);
}

/** The hints among the fields of a request that have an effect, by the names of the callers' dialects. */
export function hintsOf(request: GenerationRequest): readonly string[] {
  const { seed, verbosity = 'medium', serviceTier = 'auto', promptCacheKey, promptCacheRetention } = request;
  const hints: readonly (readonly [isAsked: boolean, name: string])[] = [
    [seed !== undefined, 'seed'],
    [verbosity !== 'medium', 'verbosity'],
    [!['auto', 'default'].includes(serviceTier), 'service_tier'],
    [promptCacheKey !== undefined, 'prompt_cache_key'],
    [promptCacheRetention !== undefined, 'prompt_cache_retention'],
  ];
  return hints.flatMap(([isAsked, name]) => (isAsked ? [name] : []));
}

/**
 * Whether a field is a hint, by its path in the caller's body: one that is dropped for some models (`DIALECTS`), or that no dialect
 * knows, within a message, a tool or another object: other vendors and clients leave such there.
 */
export function isHint(path: string): boolean {
  const names = path.split('.').filter((name) => !/^\d+$/.test(name));
  if (names.length > 1 && !names.slice(1).some((name) => REFUSED.has(name))) return true;
  // A field within a hint is a hint.
  return names.some((_, index) => {
    const upTo = names.slice(0, index + 1).join('.');
    return HINTS.has(upTo) || (index < names.length - 1 && HINTS.has(`${upTo}.*`));
  });
}

/** Names of fields within others that some provider cannot be asked for, and `type`, without which a value means something else. */
const REFUSED: ReadonlySet<string> = new Set([
  'type',
  ...DIALECTS.flatMap(({ fields, backends }) =>
    Object.entries(fields).flatMap(([path, fates]) => {
      const isRefused = fates.some((fate, index) => fate === 'refused' && backends[index]! in PROVIDER_STYLES);
      return isRefused && path.includes('.') && !/[\]*]$/.test(path) ? [path.split('.').at(-1)!] : [];
    }),
  ),
]);

/** Hints of all dialects, without the kinds of items: items that are dropped whole are no fields. */
const HINTS: ReadonlySet<string> = new Set(
  DIALECTS.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([path, fates]) =>
      fates.includes('dropped') && !path.endsWith(']') ? [path.replaceAll(/\[[^\]]+\]/g, '')] : [],
    ),
  ),
);
