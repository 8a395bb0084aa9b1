/** Embedders that a runner here has, by catalog id. What they cannot do is refused before a runner is asked. */
export const EMBEDDERS: ReadonlyMap<string, EmbedderFacts> = new Map([
  ['anneal/embedder-base-v1', { dimensions: 256, mostTokens: 8_192, mostCharacters: 1_500_000 }],
]);

export interface EmbedderFacts {
  /** Of its vectors, at most. */
  readonly dimensions: number;
  /** In one text. */
  readonly mostTokens: number;
  /** In all texts of a call: about 300,000 tokens of English, which take seconds at most. */
  readonly mostCharacters: number;
}
