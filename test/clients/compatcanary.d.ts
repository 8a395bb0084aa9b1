declare module 'compatcanary' {
  /** Runs its probes against an endpoint. */
  export function scanEndpoint(options: {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly model: string;
    readonly profile: 'modern' | 'chat';
  }): Promise<{ readonly score: number; readonly results: readonly { readonly status: string }[] }>;
}
