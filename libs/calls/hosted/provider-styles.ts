interface StyleTraits {
  /** The header with the key. */
  readonly authorization: (key: string) => Readonly<Record<string, string>>;
  /** Fields of the providers file for this style only. */
  readonly ownFields: readonly string[];
  /** Whether thoughts are accepted back only with their signature. */
  readonly verifiesThoughts: boolean;
}

/** How the provider styles differ. Their calls are in `STYLES`, the fates of fields in `fields`. */
export const PROVIDER_STYLES = {
  openai: {
    authorization: (key) => ({ authorization: `Bearer ${key}` }),
    ownFields: ['max_tokens_field', 'cache_control', 'token_ids'],
    verifiesThoughts: false,
  },
  anthropic: {
    authorization: (key) => ({ 'x-api-key': key }),
    ownFields: [],
    verifiesThoughts: true,
  },
} as const satisfies Record<string, StyleTraits>;

export type ProviderStyle = keyof typeof PROVIDER_STYLES;
export const PROVIDER_STYLE_NAMES = Object.keys(PROVIDER_STYLES) as ProviderStyle[];
