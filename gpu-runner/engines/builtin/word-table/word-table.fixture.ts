import type { HeadState } from '../head.js';

/** The state of a table in which the words of a group have one direction, and the groups nothing in common. */
export function tableOf(groups: readonly (readonly string[])[]): HeadState {
  const words = groups.flat();
  const text = new TextEncoder().encode(words.join('\n'));
  const vectors = Int8Array.from(
    groups.flatMap((group, own) => group.flatMap(() => groups.map((_, at) => (at === own ? 127 : 0)))),
  );
  return {
    config: {},
    tensors: {
      text: { shape: [text.length], data: text },
      vectors: { shape: [words.length, groups.length], data: vectors },
      scales: { shape: [words.length], data: new Float32Array(words.length).fill(1 / 127) },
    },
  };
}
