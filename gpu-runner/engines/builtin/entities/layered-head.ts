import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import type { BaseTagger } from './base-tagger.js';
import { loadEntityHead } from './entity-head.js';
import { partOfState } from './states.js';
import type { EntityHead } from './tagging.js';

/** A trained finder of entities. */
export interface LayeredHead {
  /** Labels of all layers. */
  readonly labels: readonly string[];
  /** Finds spans without overlaps. */
  readonly outer: EntityHead;
  /** Find nested spans too, layer by layer; none if the training rows had no such spans. */
  readonly inner: readonly EntityHead[];
}

/**
 * Takes an exported head, without copying its tensors.
 * @param encoder whose vectors of words it reads, if it learned from any
 * @throws ArtifactError when the state is of another feature version, lacks a tensor, or has vectors of another encoder
 */
export function loadLayeredHead(state: HeadState, base: BaseTagger, encoder: TextEncoder | null = null): LayeredHead {
  const parts = Array.from({ length: layerCountOf(state) - 1 }, (_, index) =>
    partOfState(state, partOfLayer(index + 1))!,
  );
  const outer = loadEntityHead(state, base, encoder);
  const inner = parts.map((part) => loadEntityHead(part, base, encoder));
  const labels = [...new Set([outer, ...inner].flatMap((head) => head.labels))].sort((a, b) => (a < b ? -1 : 1));
  return { labels, outer, inner };
}

/** Layers of an exported head. */
export function layerCountOf({ config }: HeadState): number {
  let count = 1;
  while (config[partOfLayer(count)] !== undefined) count += 1;
  return count;
}

/** Name of the part of a head's state that holds a layer; the first is the head's state itself. */
export const partOfLayer = (layer: number): string => `layer${layer + 1}`;
