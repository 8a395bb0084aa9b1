import { tagCount } from './tags.js';

/**
 * The best legal tag sequence (Viterbi 1967) for additive scores.
 * @param scores [n, 2L+1], row-major @param weights transition weights as laid out in transitions.ts
 */
export function viterbi(scores: Float64Array, n: number, labels: number, weights: Float32Array): Uint16Array {
  const tags = tagCount(labels);
  const width = labels + 1;
  const stayAt = (labels + 2) * width;
  const path = new Uint16Array(n);
  if (n === 0) return path;
  const back = new Uint16Array(n * tags);
  let best = new Float64Array(tags).fill(-Infinity);
  let next = new Float64Array(tags);
  for (let j = 0; j < width; j++) best[j] = scores[j]! + weights[width * width + j]!;
  for (let i = 1; i < n; i++) {
    const row = i * tags;
    next.fill(-Infinity);
    for (let g = 0; g < width; g++) {
      const begun = best[g]!;
      const gone = g === 0 ? -Infinity : best[labels + g]!;
      const source = gone > begun ? labels + g : g;
      const top = Math.max(begun, gone);
      for (let j = 0; j < width; j++) {
        const value = top + weights[g * width + j]!;
        if (value > next[j]!) {
          next[j] = value;
          back[row + j] = source;
        }
      }
      if (g === 0) continue;
      const fromBegin = begun + weights[stayAt + g - 1]!;
      const fromInside = gone + weights[stayAt + labels + g - 1]!;
      next[labels + g] = Math.max(fromBegin, fromInside);
      back[row + labels + g] = fromInside > fromBegin ? labels + g : g;
    }
    for (let k = 0; k < tags; k++) next[k]! += scores[row + k]!;
    [best, next] = [next, best];
  }
  let tag = 0;
  for (let k = 1; k < tags; k++) if (best[k]! > best[tag]!) tag = k;
  for (let i = n - 1; i >= 0; i--) {
    path[i] = tag;
    tag = back[i * tags + tag]!;
  }
  return path;
}
